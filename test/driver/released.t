# nothing is created that is not released: blocks and files, after calls that went well, wrong inputs, assertions and operators
# of the user's that fail in the middle, segments of sizes found on the way; by an artifact, and in this process by the library
--run-- cc -shared -fPIC -I$ROOT/include flaky.c -o libflaky.so && ferrite compile flaky.fx --ops ./libflaky.so -o flaky.so --quiet && ferrite compile flaky.fx --ops ./libflaky.so --split nodes=1 --nan-check -o parts.so --quiet && ${FERRITE_TEST_CC:-cc} -rdynamic -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && for so in ./flaky.so ./parts.so; do ./call $so <script; done
--file flaky.c--
#include "ferrite_ops.h"

#include <stdio.h>

/* x + 1, unless x begins with a number below -8 */
int flaky_up(const fe_op_call *call)
{
    const fe_tensor *x = call->args[0].tensor;
    int64_t count = x->sizes[0] * x->sizes[1];
    if (count && *(const float *)x->data < -8) {
        snprintf(call->error, call->error_bytes, "too far down");
        return 1;
    }
    for (int64_t i = 0; i < count; i++)
        ((float *)call->results[0].data)[i] = ((const float *)x->data)[i] + 1;
    return 0;
}

static const fe_op_row rows[] = {
    FE_OP("flaky::up(Tensor x) -> Tensor", flaky_up, "x[n, d] -> x[n, d]"),
};
FE_OP_LIBRARY("flaky", rows)
--file flaky.fx--
operators { "flaky::up(Tensor x) -> Tensor" }
graph flaky {
  range u0 in [0, 4]
  range s0 in [0, 64]
  placeholder %x user "x" : f32[s0,2]
  placeholder %w user "w" : f32[2,2]
  %y = flaky.up.default(%x) : f32[s0,2]
  %m = aten.mm.default(%y, %w) : f32[s0,2]
  %g = aten.relu.default(%m) : f32[s0,2]
  %z = aten.nonzero.default(%g) : i64[u0,2]
  %f = aten._to_copy.default(%z, dtype=f32) : f32[u0,2]
  %p = aten.mm.default(%f, %w) : f32[u0,2]
  output (user %p, user %g)
}
--file script--
threads 2
in 0 f32 [2,2] = 1 2 3 4
in 1 f32 [2,2] = 1 0 0 1
run
release quietly
run
release quietly
run
show out 0
release
run
context 1
run
in 0 f32 [2,2] = -9 2 3 4
run
in 0 f32 [3,2] = 1 2 3 4 5 6
run
in 0 f32 [65,2]
run
in 0 f32 [1,3]
run
in 0 f32 [0,2]
run
in 1 f32 [2,2] null
run
in 1 f32 [2,2] = 1 0 0 1
out 1 f32 [2,2]
in 0 f32 [1,2] = 1 2
run
in 0 f32 [2,2] = nan 2 3 4
run
release
threads 1
context 2
out 1 none
in 0 f32 [2,2] = 1 2 3 4
run
show out 0
release
--out--
out 0 [4,2]{2,1}: 0.000 0.000 0.000 1.000 1.000 0.000 1.000 1.000
0 blocks and 0 files are left
failed 4: flaky_up: too far down
failed 4: u0 <= 4 does not hold (z): u0 = 6
failed 1: input 'x' has size 65 in dimension 0: s0 must be in [0, 64]
failed 1: input 'x' has size 3 in dimension 1, expected [s0, 2]
failed 2: the memory given for output 'output_1' is not float32 [s0, 2]
failed 1: input 'w' has no data
failed 2: the memory given for output 'output_1' is not float32 [s0, 2]
0 blocks and 0 files are left
out 0 [4,2]{2,1}: 0.000 0.000 0.000 1.000 1.000 0.000 1.000 1.000
0 blocks and 0 files are left
out 0 [4,2]{2,1}: 0.000 0.000 0.000 1.000 1.000 0.000 1.000 1.000
0 blocks and 0 files are left
failed 4: flaky_up: too far down
failed 4: u0 <= 4 does not hold (z): u0 = 6
failed 1: input 'x' has size 65 in dimension 0: s0 must be in [0, 64]
failed 1: input 'x' has size 3 in dimension 1, expected [s0, 2]
failed 2: the memory given for output 'output_1' is not float32 [s0, 2]
failed 1: input 'w' has no data
failed 2: the memory given for output 'output_1' is not float32 [s0, 2]
failed 4: NaN in input 'x': 1 of 4 elements, the first at [0, 0]
0 blocks and 0 files are left
out 0 [4,2]{2,1}: 0.000 0.000 0.000 1.000 1.000 0.000 1.000 1.000
0 blocks and 0 files are left
--run-- ${FERRITE_TEST_CC:-cc} -rdynamic -I$ROOT/include $ROOT/test/artifact/released.c $BUILD/libferrite.so -o released && ln -s $BUILD/libferrite.so libferrite.so.0 && printf 'graph no {\n' >no.fx && c=$ROOT/test/cases/programs && LD_LIBRARY_PATH=. ./released $c/regions_and_numbers.pt2 no.fx $c/ragged_rows.pt2 none.pt2 $c/buffer_mutation.pt2
--out--
12 runs went well; 0 blocks and 0 files are left
