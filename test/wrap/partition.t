# signatures of parts: their text, and what breaks law W8
--run-- ferrite inspect parts.wrap --from wrap --stage wrap | cmp - parts.wrap
--file parts.wrap--
program parts
symbol s0 in [2, 64]
input  @x : f32[s0,8] strides [8,1]
const  @w : f32[8,8] strides [8,1]
temp   @a : f32[16,8] strides [8,1]
temp   @b : f32[16,8] strides [8,1]
temp   @y : f32[16,8] strides [8,1]
wrapper arena 1024 bound 1024 weights 256 kernels 2 calls 3
weight 0 @w at 0 bytes 256
memory @y output 0
symbol s0 = size 0 0
partition "first" reads [@x] makes [@b] constants [@w] symbols [s0]
alloc @b live [0, 5) at 512 bytes 512
alloc @a live [1, 3) at 0 bytes 512
kernel k_exp (@x, @w, @a) ints [s0] m 1 n 128 cost 100
kernel k_neg (@a, @b) ints [] m 1 n 128 cost 100
free @a
partition "last" reads [@b] makes [@y] ends [@b]
extern copy (@b[8,16]{1,8}) -> (@y[8,16]{16,1}) ints [0] floats []
free @b
output 0 @y[16,8]{8,1}
--run-- sed 's/reads \[@b\] makes/makes/' parts.wrap | ferrite inspect - --from wrap --stage wrap 2>&1 | sed -n 1,2p
--out--
error: wrap: law W8: a buffer is used that the signature does not name: b
  at line 9: extern copy (@b[8,16]{1,8}) -> (@y[8,16]{16,1}) ints [0] floats []
--status-- 1
--run-- sed 's/ ends \[@b\]//' parts.wrap | ferrite inspect - --from wrap --stage wrap 2>&1 | sed -n 1p
--out--
error: wrap: law W8: a buffer ends that the signature does not say so of: b
--status-- 1
--run-- sed 's/ symbols \[s0\]//' parts.wrap | ferrite inspect - --from wrap --stage wrap 2>&1 | sed -n 1p
--out--
error: wrap: law W8: a symbol is read that the signature does not name: s0
--status-- 1
--run-- sed 's/ constants \[@w\]//' parts.wrap | ferrite inspect - --from wrap --stage wrap 2>&1 | sed -n 1p
--out--
error: wrap: law W8: a buffer is used that the signature does not name: w
--status-- 1
--run-- sed 's/makes \[@b\] const/makes [b] const/' parts.wrap | ferrite inspect - --from wrap --stage wrap 2>&1 | sed -n 1p
--out--
error: wrap: expected a buffer (found 'b')
--status-- 1
