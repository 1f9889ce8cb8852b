# an artifact of another ABI version is refused by name
--run-- ${FERRITE_TEST_CC:-cc} -shared -fPIC -I$ROOT/include $ROOT/test/artifact/other_abi.c -o other.so && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/examples/load.c -ldl -o load && ./load ./other.so
--err--
./other.so has ABI version 42, this program 1
--status-- 1
