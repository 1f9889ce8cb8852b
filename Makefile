# ferrite -- everything is made under build/ (build/san with SAN=1, build/tsan).
#
#   make         the compiler, build/ferrite, and its library, build/libferrite.a
#   make demo    compile a small trained network and run it on real digits
#   make test    all tests; `make check` is the quick part of them
#   make bench   run time beside eager PyTorch and Inductor
#   make install PREFIX=/usr/local   command, library, headers, ferrite.pc;  make uninstall
#   make lint    the house rules;  make format  lays the code out;  make bless  rewrites expected outputs
#   make SAN=1   the same under AddressSanitizer and UndefinedBehaviorSanitizer; SAN=thread: ThreadSanitizer
#   make V=1     shows the commands;  JOBS=N  runs N at once

PREFIX ?= /usr/local
VENV ?= build/venv
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(JOBS)
endif
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DELETE_ON_ERROR:
Q := $(if $(V),,@)
comma := ,

CC := $(if $(filter default,$(origin CC)),cc,$(CC))
B := build$(if $(SAN),/$(if $(filter thread,$(SAN)),tsan,san))
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef \
        -Wwrite-strings -Wvla -Wno-gnu-zero-variadic-macro-arguments -Werror
SANITIZE := -g1 -fno-omit-frame-pointer $(if $(filter thread,$(SAN)),\
            -fsanitize=thread -Wno-maybe-uninitialized,\
            -fsanitize=address$(comma)undefined -fno-sanitize-recover=all)
VERSION := $(shell sed -n 's/^.define FE_VERSION "\(.*\)"/\1/p' include/ferrite.h)
SOVERSION := 0
LIBS := -lz -lm -lpthread -ldl
# Of the command and the tests alone; linked in where it can be, so that the wheel's command runs anywhere.
JSON := $(if $(wildcard $(shell $(CC) -print-file-name=libjson-c.a)),-l:libjson-c.a,-ljson-c)
# gnu11: attributes and vector types. The runtime goes into every artifact, hence without debug text.
COMMON := -std=gnu11 -fPIC -fvisibility=hidden $(WARN) -MMD -MP
C_FLAGS := $(COMMON) -Iinclude -Isrc -Ibuild $(if $(SAN),-O1 $(SANITIZE) -DFERRITE_DEBUG,-O2 -g) $(CFLAGS)
RT_FLAGS := $(COMMON) -Iinclude $(addprefix -I,rt $(wildcard rt/*/)) -Isrc -Ibuild \
            -ffunction-sections -fdata-sections -fno-math-errno \
            $(if $(SAN),-O1 $(SANITIZE) -DRT_STRICT,-O3) $(CFLAGS)
LINK := $(if $(SAN),$(SANITIZE)) $(LDFLAGS)

# ---- what there is ----

CLI_SRC := $(wildcard src/cli/*.c)
LIB_SRC := $(filter-out $(CLI_SRC),$(wildcard src/*/*.c src/*/*/*.c))
RT_SRC := $(filter-out rt/test_%.c rt/bench_%.c,$(wildcard rt/*.c rt/*/*.c))
# What the runtime shares with the compiler: planning when the sizes are known.
RT_PLAN := $(addprefix src/plan/,replan.c quick.c dive.c pairs.c skyline.c tops.c)
# What the rows of its operators say to the runtime.
OPERATORS := build/rt_operators.h
RT_TEXT := $(RT_SRC) $(RT_PLAN) $(RT_PLAN:.c=.h) \
           $(OPERATORS) $(filter-out rt/test_%.h,$(wildcard rt/*.h rt/*/*.h)) \
           $(addprefix include/ferrite_,abi.h device.h ops.h)
# What modules in Python import.
RT_PYTHON := $(wildcard python/*.py)
# Kernels, the sources that see rt_isa.h, are compiled once for each instruction set.
RT_KERNELS := $(if $(RT_SRC),$(shell grep -l '^.include "rt_isa.h"' $(RT_SRC)))
ISAS := base $(if $(filter x86_64 amd64,$(shell uname -m)),v3 v4)
FLAGS_base := -DRT_ISA_BASE
FLAGS_v3 := -DRT_ISA_V3 -march=x86-64-v3
FLAGS_v4 := -DRT_ISA_V4 -march=x86-64-v4 -mprefer-vector-width=512

LIB_OBJ := $(LIB_SRC:%.c=$B/obj/%.o) $B/obj/embedded.o
CLI_OBJ := $(CLI_SRC:%.c=$B/obj/%.o)
RT_OBJ := $(patsubst %.c,$B/obj/%.o,$(filter-out $(RT_KERNELS),$(RT_SRC))) \
          $(RT_PLAN:src/%.c=$B/obj/rt/%.o) \
          $(foreach isa,$(ISAS),$(RT_KERNELS:%.c=$B/obj/%.$(isa).o))
UNIT_OBJ := $(patsubst %.c,$B/obj/%.o,$(wildcard test/unit/*.c))
SETUP := build/setup-done

export VENV
.PHONY: all tests demo test test-gpu check lint format bless bench clean install uninstall
all: $B/ferrite $B/libferrite.a $B/libferrite.so $B/ferrite.pc
tests: all $B/unit build/runtest $(if $(wildcard rt/test_kernels.c),$B/test_kernels)

# ---- how it is made ----

$(SETUP): tools/setup.sh
	$Q sh tools/setup.sh build
	$Q mkdir -p build && touch $@

$B/obj/rt/%.o: rt/%.c Makefile | $(SETUP) $(OPERATORS)
	@echo "  cc $<"
	$Q mkdir -p $(@D)
	$Q $(CC) $(RT_FLAGS) -c $< -o $@

$B/obj/rt/plan/%.o: src/plan/%.c Makefile | $(SETUP) $(OPERATORS)
	@echo "  cc $< (runtime)"
	$Q mkdir -p $(@D)
	$Q $(CC) $(RT_FLAGS) -c $< -o $@

$(OPERATORS): tools/operators.sh src/loop/extern.def | $(SETUP)
	$Q sh $< src/loop/extern.def >$@.part && mv $@.part $@

define kernel_rule
$B/obj/rt/%.$1.o: rt/%.c Makefile | $(SETUP) $(OPERATORS)
	@echo "  cc $$< ($1)"
	$Q mkdir -p $$(@D)
	$Q $(CC) $(RT_FLAGS) $(FLAGS_$1) $$(MORE_FLAGS) -c $$< -o $$@
endef
$(foreach isa,$(ISAS),$(eval $(call kernel_rule,$(isa))))

# gcc else keeps a tile's pointers in vector registers, from where they come behind all queued multiply-adds.
NO_MOVES := -mtune-ctrl=^inter_unit_moves_to_vec,^inter_unit_moves_from_vec
$B/obj/rt/kernels/rt_tile%.o: MORE_FLAGS := \
    $(shell $(CC) $(NO_MOVES) -E -xc /dev/null >/dev/null 2>&1 && echo '$(NO_MOVES)')

$B/obj/%.o: %.c Makefile | $(SETUP) $(OPERATORS)
	@echo "  cc $<"
	$Q mkdir -p $(@D)
	$Q $(CC) $(C_FLAGS) -c $< -o $@

$(UNIT_OBJ): C_FLAGS += -Irt
# What the runtime has as well is as quick in the compiler.
$(if $(SAN),,$(RT_PLAN:%.c=$B/obj/%.o): C_FLAGS += -O3)

$B/rt.a: $(RT_OBJ)
	@echo "  ar $@"
	$Q rm -f $@ && ar rcs $@ $^

# The library is one object of which only the functions of ferrite.h can be seen; the command and the
# tests are linked from the parts.
$B/parts.a: $(LIB_OBJ)
	$Q rm -f $@ && ar rcsT $@ $^
$B/obj/libferrite.o: $(LIB_OBJ) $B/rt.a
	$Q $(CC) -r -nostdlib $^ -o $@ && objcopy --localize-hidden -w -G 'fe_*' $@
$B/libferrite.a: $B/obj/libferrite.o
	@echo "  ar $@"
	$Q rm -f $@ && ar rcs $@ $^
$B/libferrite.so: $B/obj/libferrite.o
	@echo "  link $@"
	$Q $(CC) -shared -Wl,-soname,libferrite.so.$(SOVERSION) $(LINK) $^ $(LIBS) -o $@

# The compiler carries the runtime in itself, built and as text.
# Programs without sanitizers load artifacts: the embedded runtime is the plain one, but for
# ThreadSanitizer, which must see who waits for whom.
RT_EMBEDDED := $(if $(filter thread,$(SAN)),$B,build)/rt.a
$B/embedded.c: build/embed $(RT_EMBEDDED) $(RT_TEXT) $(RT_PYTHON)
	$Q build/embed $@ rt.a=$(RT_EMBEDDED) $(RT_TEXT) $(RT_PYTHON)
ifneq ($(filter-out thread,$(SAN)),)
build/rt.a: $(RT_SRC) $(RT_PLAN)
	+$Q $(MAKE) SAN= build/rt.a
endif
$B/obj/embedded.o: $B/embedded.c src/driver/embed.h
	$Q $(CC) $(C_FLAGS) -c $< -o $@

# For pkg-config: this one for use of what lies here, changed by `make install`.
define PC
prefix=$(CURDIR)
libdir=$(CURDIR)/$B
includedir=$(CURDIR)/include

Name: ferrite
Description: compiles PyTorch programs to C
Version: $(VERSION)
Cflags: -I$${includedir}
Libs: -L$${libdir} -lferrite
Libs.private: $(strip $(LINK) $(LIBS))
endef
$B/ferrite.pc: Makefile include/ferrite.h | $B/rt.a
	$(file >$@,$(PC))

$B/ferrite: $(CLI_OBJ) $B/parts.a $B/rt.a
$B/unit: $(UNIT_OBJ) $B/parts.a $B/rt.a
$B/ferrite $B/unit:
	@echo "  link $@"
	$Q $(CC) $(LINK) $^ $(JSON) $(LIBS) -o $@

$B/test_kernels: $(patsubst %.c,$B/obj/%.o,$(wildcard rt/test_*.c))
$B/test_kernels $B/bench_kernels: $B/%: $B/obj/rt/%.o $B/rt.a
	@echo "  link $@"
	$Q $(CC) $(LINK) $(filter %.o,$^) $B/rt.a -lm -lpthread -ldl -o $@

build/embed build/runtest: build/%: tools/%.c Makefile | $(SETUP) $(OPERATORS)
	@echo "  cc $<"
	$Q $(CC) -std=gnu11 -O1 -g $(WARN) $< -lpthread -o $@

-include $(shell find $B/obj -name '*.d' 2>/dev/null)

# ---- what one does with it ----

demo: all
	$Q sh demo/run.sh
test check:
	+$Q sh tools/test.sh $@
test-gpu: all
	$Q sh tools/test_gpu.sh
lint: all
	$Q sh tools/lint.sh
format:
	$Q sh tools/lint.sh --format
bench: all
	$Q sh test/python/setup_venv.sh $(VENV) && $(VENV)/bin/python test/python/bench.py
bless: tests
	$Q build/runtest --bless --binary $B/ferrite test

# DESTDIR is put in front of where files go, not into ferrite.pc.
TO := $(DESTDIR)$(abspath $(PREFIX))
HEADERS := $(addprefix include/ferrite,.h _abi.h _graph.h _ops.h _passes.h)
INSTALLED := $(addprefix $(TO)/,bin/ferrite $(HEADERS) lib/libferrite.a lib/libferrite.so \
               lib/libferrite.so.$(SOVERSION) lib/pkgconfig/ferrite.pc)
install: all
	@echo "  install to $(TO)"
	$Q mkdir -p $(TO)/bin $(TO)/include $(TO)/lib/pkgconfig
	$Q install -m 755 $B/ferrite $(TO)/bin/
	$Q install -m 644 $(HEADERS) $(TO)/include/
	$Q install -m 644 $B/libferrite.a $(TO)/lib/
	$Q install -m 755 $B/libferrite.so $(TO)/lib/libferrite.so.$(SOVERSION)
	$Q ln -sf libferrite.so.$(SOVERSION) $(TO)/lib/libferrite.so
	$Q sed -e 's|^prefix=.*|prefix=$(abspath $(PREFIX))|' -e 's|^libdir=.*|libdir=$${prefix}/lib|' \
	   -e 's|^includedir=.*|includedir=$${prefix}/include|' $B/ferrite.pc >$(TO)/lib/pkgconfig/ferrite.pc
uninstall:
	$Q rm -f $(INSTALLED)
clean:
	$Q rm -rf build/san build/tsan build/plain build/clang build/obj build/test \
	   build/lib* build/*.a build/embed* \
	   build/ferrite build/ferrite.pc build/unit build/runtest build/test_kernels build/setup-done \
	   build/shared-cases
