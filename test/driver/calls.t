# no call after the first allocates, and two threads run one model at once
--run-- ferrite compile $ROOT/demo/digits.pt2 -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -rdynamic -I$ROOT/include $ROOT/test/artifact/second_call.c -o t -ldl -lpthread && ./t ./m.so
--out--
allocations in 100 further calls: 0
wrong results of 4000 on two threads: 0
