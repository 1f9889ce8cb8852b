# the bound of an index that comes from data: a size, the dimension, whether negative ones were wrapped, and
# who asked; constants say between which numbers they are
--run-- ferrite inspect - --from loop --stage loop
--in--
program bounds
input  @x : f32[8,100] strides [100,1]
input  @i : i64[8] strides [1]
const  @w : i64[8] strides [1] values [-3, 99]
temp   @y : f32[8] strides [1]
nest [i0 < 8] {
  %0 = load i64 @i[i0]
  %1 = load i64 @w[i0]
  j0 = indirect %0 < 8 origin 3
  j1 = indirect %1 < 100 dim 1 wraps origin 7
  %2 = load f32 @x[100*j0 + j1]
  @y[i0] = %2
}
output @y[8]{1}
--out--
program bounds
input  @x : f32[8,100] strides [100,1]
input  @i : i64[8] strides [1]
const  @w : i64[8] strides [1] values [-3, 99]
temp   @y : f32[8] strides [1]
nest [i0 < 8] {
  %0 = load i64 @i[i0]
  %1 = load i64 @w[i0]
  j0 = indirect %0 < 8 origin 3
  j1 = indirect %1 < 100 dim 1 wraps origin 7
  %2 = load f32 @x[100*j0 + j1]
  @y[i0] = %2
}
output @y[8]{1}
--run-- printf 'program p\ninput @x : f32[4] strides [1]\ninput @i : i64[4] strides [1]\ntemp @y : f32[4] strides [1]\nnest [i0 < 4] {\n  %%0 = load i64 @i[i0]\n  j0 = indirect %%0\n  %%1 = load f32 @x[j0]\n  @y[i0] = %%1\n}\noutput @y[4]{1}\n' | ferrite inspect - --from loop --stage loop
--err--
error: loop: expected '<' (found '%1')
  at line 8, column 3
--status-- 1
# what leads out of a buffer, on either side, is refused, however large the numbers are
--run-- for w in 'x 4 1 @x[4]{-1}' 'x 4 1 @x[4]{4611686018427387904}+9223372036854775807' 'x 4611686018427387904,4 4,1 @x[4]{1}' 'x 4,4 4,1 @x[4]{1}' 'x -4 1 @x[0]{1}'; do set -- $w; printf 'program p\ninput @%s : f32[%s] strides [%s] %s\ntemp @y : f32[4] strides [1]\nextern copy (%s) -> (@y[4]{1}) ints [0] floats []\noutput @y[4]{1}\n' $1 $2 $3 "$(test "$3" = 4,1 && echo elements 10)" $4 | ferrite inspect - --from loop --stage loop 2>&1 | grep law; done; printf 'program p\ninput @x : f32[8] strides [1]\ntemp @y : f32[4] strides [1]\nnest [i0 < 4] {\n  %%0 = load f32 @x[4611686018427387904*i0 + 9223372036854775807]\n  @y[i0] = %%0\n}\noutput @y[4]{1}\n' | ferrite inspect - --from loop --stage loop 2>&1 | grep law
--out--
error: loop: law L1: a view of @x[-i0], between -3 and 0, is not known to be in [0, 4) in
error: loop: law L1: a view of @x[4611686018427387904*i0 + 9223372036854775807], between 9223372036854775806 and anything, is not known to be in [0, 4) in
error: loop: law L1: a view of @x[4*i0 + i1], between 0 and anything, is not known to be in [0, 10)
error: loop: law L1: a view of @x[4*i0 + i1], between 0 and 15, is not known to be in [0, 10)
error: loop: law L1: a size of @x is less than 0
error: loop: law L1: a load of @x[4611686018427387904*i0 + 9223372036854775807], between 9223372036854775806 and anything, is not known to be in [0, 8) in
--status-- 1
