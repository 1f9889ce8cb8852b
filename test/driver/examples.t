# the examples build and run: one links an artifact, one loads it, one compiles and runs in one process, one
# builds a graph, whose text runs too
--run-- ferrite compile $ROOT/demo/digits.pt2 -o libdigits.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/examples/link.c ./libdigits.so -o link && ./link | sed 's/gives.*/gives/'
--out--
digits gives
--run-- ferrite compile $ROOT/demo/digits.pt2 -o libdigits.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/examples/load.c -ldl -o load && ./load ./libdigits.so | sed 's/ at .*//'
--out--
output_0: [1, 10], first value
--run-- ferrite compile $ROOT/demo/digits.pt2 -o d.so --quiet && ${FERRITE_TEST_CC:-cc} -include d.h -I. -I$ROOT/include -fsyntax-only $ROOT/examples/link.c && grep -c DIGITS_INPUT d.h
--out--
8
--run-- ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/examples/compile.c $BUILD/libferrite.a $(sed -n 's/^Libs.private: //p' $BUILD/ferrite.pc) -o compile && ./compile $ROOT/demo/digits.pt2 | sed 's/ at .*//' && ./compile missing.pt2
--out--
output_0: [1, 10], first value
--err--
error: file: cannot open missing.pt2: No such file or directory
--status-- 1
--run-- ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/examples/graph.c $BUILD/libferrite.a $(sed -n 's/^Libs.private: //p' $BUILD/ferrite.pc) -o graph && ./graph && ./graph print >net.fx && tail -3 net.fx && ferrite inspect net.fx --stage read | cmp net.fx
--out--
net: [5.25 3] [1.25 0]
  %z = aten.relu.default(%y)
  output (user %z)
}
