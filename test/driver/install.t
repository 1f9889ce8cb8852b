# installed, the command and the library work from there; uninstalled, no file is left
--once--
--run-- case $BUILD in */san) export SAN=1;; */tsan) export SAN=thread;; esac; export MAKEFLAGS=; make -s -o all -C $ROOT install PREFIX=$PWD/to >/dev/null && (cd to && find . -type f -o -type l | sort) && ./to/bin/ferrite --version && cc -Ito/include $ROOT/examples/compile.c to/lib/libferrite.a $(sed -n 's/^Libs.private: //p' to/lib/pkgconfig/ferrite.pc) -o compile && ./compile $ROOT/demo/digits.pt2 | sed 's/ at .*//' && sed "s|$PWD|HERE|; /^Libs.private/d" to/lib/pkgconfig/ferrite.pc && make -s -C $ROOT uninstall PREFIX=$PWD/to && find to -type f -o -type l
--out--
./bin/ferrite
./include/ferrite.h
./include/ferrite_abi.h
./include/ferrite_graph.h
./include/ferrite_ops.h
./include/ferrite_passes.h
./lib/libferrite.a
./lib/libferrite.so
./lib/libferrite.so.0
./lib/pkgconfig/ferrite.pc
ferrite 0.1
output_0: [1, 10], first value
prefix=HERE/to
libdir=${prefix}/lib
includedir=${prefix}/include

Name: ferrite
Description: compiles PyTorch programs to C
Version: 0.1
Cflags: -I${includedir}
Libs: -L${libdir} -lferrite
--run-- case $BUILD in */san) export SAN=1;; */tsan) export SAN=thread;; esac; export MAKEFLAGS=; make -s -o all -C $ROOT install PREFIX=/opt/x DESTDIR=$PWD/stage >/dev/null && ls stage/opt/x && head -1 stage/opt/x/lib/pkgconfig/ferrite.pc
--out--
bin
include
lib
prefix=/opt/x
