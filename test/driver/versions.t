# an artifact of another ABI version is refused by name; one made when version 1 was first given out runs
--once--
--run-- ${FERRITE_TEST_CC:-cc} -shared -fPIC -I$ROOT/include $ROOT/test/artifact/other_abi.c -o other.so && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/examples/load.c -ldl -o load && ./load ./other.so
--err--
./other.so has ABI version 42, this program 1
--status-- 1
--run-- ${FERRITE_TEST_CC:-cc} -shared -fPIC $ROOT/test/artifact/abi_1.c -o abi_1.so && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./abi_1.so
--in--
in 0 f32 [1] = 1.5
run
show out 0
--out--
out 0 [1]{1}: 3.000
