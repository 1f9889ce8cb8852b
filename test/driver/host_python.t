# a Python program with ctypes alone: an artifact, one with dynamic sizes, and one of an ABI version to come
--skip-if-missing-- python3
--run-- ferrite compile $ROOT/demo/digits.pt2 -o digits.so --quiet && ferrite compile $ROOT/test/cases/programs/dynamic_mlp.pt2 -o rows.so --quiet && ${FERRITE_TEST_CC:-cc} -shared -fPIC -I$ROOT/include $ROOT/test/artifact/other_abi.c -o other.so && for model in ./digits.so ./rows.so ./other.so; do sh $ROOT/test/artifact/host.sh python3 $ROOT/examples/load.py $model 2>&1 | sed 's/ at .*//'; done
--out--
output_0: [1, 10], first value
output_0: [1, 7], first value
./other.so has ABI version 42, this program 1
--status-- 1
