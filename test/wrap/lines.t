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
extern copy (@scaled[64,8]{1,64}) -> (@swapped[64,8]{8,1}) ints [0] floats []
extern copy (@swapped[8,64]{1,8}) -> (@y[8,64]{64,1}) ints [0] floats []
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
wrapper arena 2048 bound 2048 weights 8768 kernels 2 calls 4
weight 0 @count at 0 bytes 8
weight 1 @w at 64 bytes 8192 packed gemm 1
weight 2 @b at 8256 bytes 256
weight 3 @scale at 8512 bytes 256
memory @product in @y
memory @scaled in @y
memory @y output 0
extern gemm (@x[8,32]{32,1}, @w[32,64]{1,32} packed 1, @b[64]{1}) -> (@product[8,64]{64,1}) ints [0] floats [0.0, 0.0] then k_mul (@product, @scale, @scaled) ints [64] m 8 n 64
alloc @swapped live [1, 5) at 0 bytes 2048
extern copy (@scaled[64,8]{1,64}) -> (@swapped[64,8]{8,1}) ints [0] floats []
extern copy (@swapped[8,64]{1,8}) -> (@y[8,64]{64,1}) ints [0] floats []
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
extern copy (@x[s0,2*s1 + 1]{2*s1 + 1,1}) -> (@a[s0,2*s1 + 1]{2*s1 + 1,1}) ints [0] floats []
nest [i0 < s0] reduce [r0 < 2*s1 + 1] {
  %0 = load f32 @a[(2*s1 + 1)*i0 + r0]
  @b[i0] = sum %0
}
extern copy (@b[s0]{1}) -> (@c[s0]{1}) ints [0] floats []
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
extern copy (@x[s0,2*s1 + 1]{2*s1 + 1,1}) -> (@a[s0,2*s1 + 1]{2*s1 + 1,1}) ints [0] floats []
alloc @b live [2, 4) bytes 4*s0
kernel k_sum (@a, @b) ints [2*s1 + 1, 2*s1] m s0
free @a
extern copy (@b[s0]{1}) -> (@c[s0]{1}) ints [0] floats []
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
--run-- ferrite inspect cat.fx --stage wrap --nan-check | sed '1,/^wrapper/d; s/\(k_[a-z_]*\)_[0-9a-f]* (/\1 (/; s/ cost [0-9]*//'
--file cat.fx--
graph main {
  placeholder %a user "a" : f32[4,4]
  placeholder %k user "k" : i64[4]
  %m = aten.mm.default(%a, %a) : f32[4,4]
  %r = aten.relu.default(%m) : f32[4,4]
  %s = aten.sum.dim_IntList(%r, [1], True) : f32[4,1]
  %c = aten.cat.default([%r, %s], 1) : f32[4,5]
  %t = aten.mm.default(%a, %c) : f32[4,5]
  %g = aten.index_select.default(%t, 0, %k) : f32[4,5]
  output (user %g)
}
--out--
memory @buf2 in @buf3
memory @buf5 in @buf7
memory @buf7 output 0
check @a[4,4]{4,1} no_nan "input 'a'"
alloc @buf2 live [0, 2) at 0 bytes 64
note "m"
extern bmm (@a[1,4,4]{0,4,1}, @a[1,4,4]{0,4,1}, none) -> (@buf2[1,4,4]{16,4,1}) ints [] floats [1.0, 0.0]
check @buf2[1,4,4]{16,4,1} no_nan "the result of %m"
reuse @buf2 -> @buf3 live [1, 4) at 0 bytes 64
note "r"
kernel k_max (@buf2, @buf3) ints [] m 1 n 16
check @buf3[4,4]{4,1} no_nan "the result of %r (buffer buf3)"
alloc @buf4 live [2, 5) at 64 bytes 16
clear @buf4[4]{1}
note "s"
kernel k_sum (@buf3, @buf4) ints [] m 4
check @buf4[4]{1} no_nan "the result of %s (buffer buf4)"
clear @buf5[4,5]{5,1}
note "c"
kernel k_copy (@buf3, @buf5) ints [] m 4 n 4
check @buf5[4,5]{5,1} no_nan "the result of %c (buffer buf5)"
free @buf3
note "c"
kernel k_copy (@buf4, @buf5) ints [] m 1 n 4
check @buf5[4,5]{5,1} no_nan "the result of %c (buffer buf5)"
free @buf4
alloc @buf6 live [5, 7) at 0 bytes 80
clear @buf6[1,4,5]{20,5,1}
note "t"
extern bmm (@a[1,4,4]{0,4,1}, @buf5[1,4,5]{0,5,1}, none) -> (@buf6[1,4,5]{20,5,1}) ints [] floats [1.0, 0.0]
check @buf6[1,4,5]{20,5,1} no_nan "the result of %t"
clear @buf7[4,5]{5,1}
note "g"
kernel k_copy (@buf6, @k, @buf7) ints [] m 4 n 5 checks [dim 0 "aten.index_select.default (%g)"]
check @buf7[4,5]{5,1} no_nan "the result of %g (buffer buf7)"
free @buf6
check output @buf7[4,5]{5,1} no_nan "output 0"
output 0 @buf7[4,5]{5,1}
--run-- ferrite inspect cat.fx --stage wrap --inf-check --split op=mm >parts.wrap; grep -e ^check -e ^part parts.wrap; ferrite inspect parts.wrap --from wrap --stage wrap | cmp - parts.wrap; sed 's/^check @\([a-z0-9]*\)\[4,5\]/free @\1\n&/' parts.wrap | ferrite inspect - --from wrap --stage wrap; sed 's/^clear @[a-z0-9]*/clear none/' parts.wrap | ferrite inspect - --from wrap --stage wrap; sed 's/ finite/ nan/' parts.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W2: a buffer is used after it is freed: buf5
  at line 25: check @buf5[4,5]{5,1} finite "the result of %c (buffer buf5)"
  help: this is a fault of ferrite's own: please report it with the program
error: wrap: expected a buffer (found '[')
  at line 12, column 11
error: wrap: expected 'no_nan' (found 'nan')
  at line 13, column 20
--out--
check @a[4,4]{4,1} finite "input 'a'"
partition "mm" reads [@a] makes [@buf2]
check @buf2[1,4,4]{16,4,1} finite "the result of %m"
partition "rest" reads [@buf2] makes [@buf5] ends [@buf2]
check @buf3[4,4]{4,1} finite "the result of %r (buffer buf3)"
check @buf4[4]{1} finite "the result of %s (buffer buf4)"
check @buf5[4,5]{5,1} finite "the result of %c (buffer buf5)"
check @buf5[4,5]{5,1} finite "the result of %c (buffer buf5)"
partition "mm" reads [@a, @buf5] makes [@buf6] ends [@buf5]
check @buf6[1,4,5]{20,5,1} finite "the result of %t"
partition "rest" reads [@k, @buf6] makes [@buf7] ends [@buf6]
check @buf7[4,5]{5,1} finite "the result of %g (buffer buf7)"
check output @buf7[4,5]{5,1} finite "output 0"
--status-- 1
