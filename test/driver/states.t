# buffers of the model keep what was written from call to call, each context its own; inputs that are written change in place
--run-- ferrite compile $ROOT/test/cases/programs/buffer_mutation.pt2 -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so
--in--
in 0 f32 [2,6]
in 1 i64 [2] = 0 3
run
show out 1
show out 2
run
show out 1
show out 2
context 1
run
show out 2
context 0
run
show out 2
--out--
out 1 [6]{1}: -4.146 -1.502 1.215 -3.478 0.575 -0.382
out 2 []{}: 8.000
out 1 [6]{1}: -4.146 -1.502 1.215 -3.478 0.575 -0.382
out 2 []{}: 10.000
out 2 []{}: 8.000
out 2 []{}: 12.000
--run-- ferrite compile $ROOT/test/cases/programs/input_mutation.pt2 -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so
--in--
in 0 f32 [3,5]
in 1 f32 [3,2]
show in 0
show in 1
run
show in 0
show in 1
run
show in 0
--out--
in 0 [3,5]{5,1}: -0.500 1.250 0.250 -0.750 1.000 0.000 -1.000 0.750 -0.250 -1.250 0.500 -0.500 1.250 0.250 -0.750
in 1 [3,2]{2,1}: -0.500 1.250 0.250 -0.750 1.000 0.000
in 0 [3,5]{5,1}: 0.500 -1.125 1.562 0.250 2.000 1.000 0.000 -1.312 0.750 -0.250 1.500 0.500 0.000 1.250 0.250
in 1 [3,2]{2,1}: 0.000 1.250 0.250 0.000 1.000 0.000
in 0 [3,5]{5,1}: 1.500 0.000 3.203 1.250 3.000 2.000 0.250 0.000 1.750 0.750 2.500 1.500 0.000 2.250 1.250
