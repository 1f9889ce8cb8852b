# outputs in memory of the caller: contiguous, strided, and what does not fit; else in memory of the context
--run-- ferrite compile $ROOT/test/cases/programs/input_mutation.pt2 -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so
--in--
in 0 f32 [3,5]
in 1 f32 [3,2]
run
show out 0
show out 1
show out 2
in 0 f32 [3,5]
in 1 f32 [3,2]
out 0 f32 [3,5]
out 1 f32 []
out 2 f32 [5,3] {4,1}
run
show out 0
show out 1
show out 2
out 0 f32 [3,4]
run
out 0 f64 [3,5]
run
out 0 f32 [15]
run
out 0 f32 [3,5] {1,3}
in 0 f32 [3,5]
in 1 f32 [3,2]
run
show out 0
--out--
out 0 [3,5]{5,1}: 1.000 -2.250 3.125 0.500 4.000 2.000 0.000 -2.625 1.500 -0.500 3.000 1.000 0.000 2.500 0.500
out 1 []{}: 2.500
out 2 [5,3]{1,5}: 0.500 1.000 1.500 -1.125 0.000 0.500 1.562 -1.312 0.000 0.250 0.750 1.250 2.000 -0.250 0.250
out 0 [3,5]{5,1}: 1.000 -2.250 3.125 0.500 4.000 2.000 0.000 -2.625 1.500 -0.500 3.000 1.000 0.000 2.500 0.500
out 1 []{}: 2.500
out 2 [5,3]{4,1}: 0.500 1.000 1.500 -1.125 0.000 0.500 1.562 -1.312 0.000 0.250 0.750 1.250 2.000 -0.250 0.250
failed 2: the memory given for output 'output_0' is not float32 [3, 5]
failed 2: the memory given for output 'output_0' is not float32 [3, 5]
failed 2: the memory given for output 'output_0' is not float32 [3, 5]
out 0 [3,5]{1,3}: 1.000 -2.250 3.125 0.500 4.000 2.000 0.000 -2.625 1.500 -0.500 3.000 1.000 0.000 2.500 0.500
