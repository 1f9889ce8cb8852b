# C sources build without ferrite, with a plain cc, and give what the library gives, with
# one compiler and another, for one instruction set and for all
--once--
--run-- ferrite compile $ROOT/demo/digits.pt2 -o digits.so --quiet && ferrite compile $ROOT/demo/digits.pt2 --emit c -o model/ --quiet && sh $ROOT/test/artifact/sources.sh model ISAS=base >make.log 2>&1 && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && printf 'in 0 f32 [1,1,8,8]\nrun\nshow out 0\n' >script && ./call ./digits.so <script >first && ./call ./model/digits.so <script >second && cmp first second && cat first && ls model && nm -D --defined-only model/digits.so | sed "s/.* //"
--out--
out 0 [1,10]{10,1}: -0.361 4.134 -0.588 -13.902 7.083 -7.013 2.902 0.432 -6.013 -11.372
Makefile
digits.all.o
digits.h
digits.so
digits.weights
kernels_0.c
kernels_0.o
kernels_1.c
kernels_1.o
kernels_2.c
kernels_2.o
model.c
model.o
runtime
scalar
ferrite_artifact

--run-- build() { make -s -C model clean && sh $ROOT/test/artifact/sources.sh -O0 model "$@" >make.log 2>&1 && ./call ./model/digits.so <script | cmp - first && echo the same; }; build; build ISAS=base CC=$(command -v clang || command -v clang-14 || echo cc)
--out--
the same
the same
