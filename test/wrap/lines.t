# a schedule as lines: places in the arena, weights as they are and packed, states, outputs of every kind; sizes known at run time
--run-- ferrite inspect - --from loop --stage wrap | sed 's/\(k_[a-z_]*\)_[0-9a-f]* (/\1 (/; s/ cost [0-9]*//'
--in--
program static_sizes
input  @x : f32[8,32] strides [32,1]
const  @w : f32[64,32] strides [32,1]
const  @b : f32[64] strides [1]
const  @scale : f32[64] strides [1]
state  @count : i64[] strides []
temp   @product : f32[8,64] strides [64,1]
temp   @scaled : f32[8,64] strides [64,1]
temp   @swapped : f32[64,8] strides [8,1]
temp   @y : f32[8,64] strides [64,1]
extern gemm (@x[8,32]{32,1}, @w[32,64]{1,32}, @b[64]{1}) -> (@product[8,64]{64,1}) ints [0] floats [0.0,0.0]
nest [i0 < 8, i1 < 64] {
  %0 = load f32 @product[64*i0 + i1]
  %1 = load f32 @scale[i1]
  %2 = mul %0, %1 : f32
  @scaled[64*i0 + i1] = %2
}
extern copy (@scaled[64,8]{1,64}) -> (@swapped[64,8]{8,1}) ints [] floats []
extern copy (@swapped[8,64]{1,8}) -> (@y[8,64]{64,1}) ints [] floats []
nest [] {
  %0 = load i64 @count[0]
  %1 = const 1 : i64
  %2 = add %0, %1 : i64
  @count[0] = %2
}
output @y[8,64]{64,1}
output @swapped[8]{8} + 3
output int 7
output float 0.5
output "text"
output none
--out--
program static_sizes
input  @x : f32[8,32] strides [32,1]
const  @w : f32[64,32] strides [32,1]
const  @b : f32[64] strides [1]
const  @scale : f32[64] strides [1]
state  @count : i64[] strides []
temp   @product : f32[8,64] strides [64,1]
temp   @scaled : f32[8,64] strides [64,1]
temp   @swapped : f32[64,8] strides [8,1]
temp   @y : f32[8,64] strides [64,1]
wrapper arena 4096 bound 4096 weights 8768 kernels 2 calls 4
weight 0 @count at 0 bytes 8
weight 1 @w at 64 bytes 8192 packed gemm 1
weight 2 @b at 8256 bytes 256
weight 3 @scale at 8512 bytes 256
memory @product in @scaled
memory @y output 0
alloc @product live [0, 1) at 0 bytes 2048
reuse @product -> @scaled live [0, 2) at 0 bytes 2048
extern gemm (@x[8,32]{32,1}, @w[32,64]{1,32} packed 1, @b[64]{1}) -> (@product[8,64]{64,1}) ints [0] floats [0.0, 0.0] then k_mul (@product, @scale, @scaled) ints [64] m 8 n 64
alloc @swapped live [1, 5) at 2048 bytes 2048
extern copy (@scaled[64,8]{1,64}) -> (@swapped[64,8]{8,1}) ints [] floats []
free @scaled
extern copy (@swapped[8,64]{1,8}) -> (@y[8,64]{64,1}) ints [] floats []
kernel k_add (@count) ints [] m 1
output 0 @y[8,64]{64,1}
output 1 @swapped[8]{8} + 3
output 2 int 7
output 3 float 0.5
output 4 "text"
output 5 none
--run-- ferrite inspect - --from loop --stage wrap | sed 's/\(k_[a-z_]*\)_[0-9a-f]* (/\1 (/; s/ cost [0-9]*//'
--in--
program dynamic_sizes
symbol s0 in [2, 64] hint 8
symbol s1 in [1, ]
input  @x : f32[s0,2*s1 + 1] strides [2*s1 + 1,1]
scalar "n" = s2
scalar "f" = float 2.5
scalar "mode" = "sum"
temp   @a : f32[s0,2*s1 + 1] strides [2*s1 + 1,1]
temp   @b : f32[s0] strides [1]
temp   @c : f32[s0] strides [1]
assert s0 <= s2 "n is too small"
extern copy (@x[s0,2*s1 + 1]{2*s1 + 1,1}) -> (@a[s0,2*s1 + 1]{2*s1 + 1,1}) ints [] floats []
nest [i0 < s0] reduce [r0 < 2*s1 + 1] {
  %0 = load f32 @a[(2*s1 + 1)*i0 + r0]
  @b[i0] = sum %0
}
extern copy (@b[s0]{1}) -> (@c[s0]{1}) ints [] floats []
output @c[s0]{1}
output int s0*s1
output bool s0 < s2
--out--
program dynamic_sizes
symbol s0 in [2, 64] hint 8
symbol s1 in [1, ]
symbol s2 in [0, ]
input  @x : f32[s0,2*s1 + 1] strides [2*s1 + 1,1]
scalar "n" = s2
scalar "f" = float 2.5
scalar "mode" = "sum"
temp   @a : f32[s0,2*s1 + 1] strides [2*s1 + 1,1]
temp   @b : f32[s0] strides [1]
temp   @c : f32[s0] strides [1]
wrapper arena -1 bound -1 weights 0 kernels 1 calls 3
memory @c output 0
symbol s0 = size 0 0
symbol s2 = input 1
symbol s1 = size 0 1 less 1 by 2
assert s0 <= s2 "n is too small"
alloc @a live [1, 3) bytes 8*s0*s1 + 4*s0
extern copy (@x[s0,2*s1 + 1]{2*s1 + 1,1}) -> (@a[s0,2*s1 + 1]{2*s1 + 1,1}) ints [] floats []
alloc @b live [2, 4) bytes 4*s0
kernel k_sum (@a, @b) ints [2*s1 + 1, 2*s1] m s0
free @a
extern copy (@b[s0]{1}) -> (@c[s0]{1}) ints [] floats []
free @b
output 0 @c[s0]{1}
output 1 int s0*s1
output 2 bool s0 < s2
--run-- ferrite inspect - --from fx --stage wrap > a && ferrite inspect - --from wrap --stage wrap < a | cmp - a && grep '^symbol s[0-9]* =' a
--in--
symbols {
  s0 in [0, inf]
  s1 in [0, inf]
  s2 in [0, inf]
  s3 in [0, inf]
}
graph strides_tell_what_sizes_do_not {
  placeholder %x user "x" : f32[2*s0 + 1,s1]{s2,1}
  placeholder %y user "y" : f32[s0*s1,2]{3*s3 + 2,1}
  %a = aten.sum.dim_IntList(%x, [1]) : f32[2*s0 + 1]
  %b = aten.sum.dim_IntList(%y, [1]) : f32[s0*s1]
  output (user %a, user %b)
}
--out--
symbol s1 = size 0 1
symbol s0 = size 0 0 less 1 by 2
symbol s2 = stride 0 0
symbol s3 = stride 1 0 less 2 by 3
