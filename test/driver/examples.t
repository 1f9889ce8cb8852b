# the examples build and run: one links an artifact, the other loads it
--run-- ferrite compile $ROOT/demo/digits.pt2 -o libdigits.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/examples/link.c ./libdigits.so -o link && ./link | sed 's/gives.*/gives/'
--out--
digits gives
--run-- ferrite compile $ROOT/demo/digits.pt2 -o libdigits.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/examples/load.c -ldl -o load && ./load ./libdigits.so | sed 's/ at .*//'
--out--
output_0: [1, 10], first value
--run-- ferrite compile $ROOT/demo/digits.pt2 -o d.so --quiet && ${FERRITE_TEST_CC:-cc} -include d.h -I. -I$ROOT/include -fsyntax-only $ROOT/examples/link.c && grep -c DIGITS_INPUT d.h
--out--
6
