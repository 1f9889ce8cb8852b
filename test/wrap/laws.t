# the verifier of the wrapper: what breaks each of the laws W1 to W5, and what it says; `reuse` hands memory over, and the
# call behind it may still read what was there
--run-- ferrite inspect laws.wrap --from wrap --stage wrap | cmp - laws.wrap
--file laws.wrap--
program laws
symbol s0 in [2, 64]
input  @x : f32[s0,8] strides [8,1]
const  @w : f32[8,8] strides [8,1]
temp   @a : f32[16,8] strides [8,1]
temp   @b : f32[16,8] strides [8,1]
temp   @c : f32[16,8] strides [8,1]
temp   @y : f32[16,8] strides [8,1]
wrapper arena 1024 bound 1024 weights 256 kernels 2 calls 4
weight 0 @w at 0 bytes 256
memory @y output 0
symbol s0 = size 0 0
assert s0 == 16 "sixteen rows"
alloc @a live [0, 2) at 0 bytes 512
note "first"
kernel k_exp (@x, @w, @a) ints [s0] m 1 n 128 cost 100
alloc @b live [1, 3) at 512 bytes 512
extern copy (@a[8,16]{1,8}) -> (@b[8,16]{16,1}) ints [0] floats []
reuse @a -> @c live [2, 4) at 0 bytes 512
kernel k_neg (@b, @c) ints [] m 1 n 128 cost 100
free @b
extern copy (@c[8,16]{1,8}) -> (@y[8,16]{16,1}) ints [0] floats []
free @c
output 0 @y[16,8]{8,1}
--run-- sed '/^alloc @a/d' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W1: a buffer is used that has no memory: a
  at line 4: kernel k_exp (@x, @w, @a) ints [s0] m 1 n 128 cost 100
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed '/^alloc @b/{ h; d; }; /^extern copy (@a/G' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W1: a buffer is used before it is allocated: b
  at line 6: extern copy (@a[8,16]{1,8}) -> (@b[8,16]{16,1}) ints [0] floats []
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed '/^memory/d' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W1: a buffer is used that has no memory: y
  at line 11: extern copy (@c[8,16]{1,8}) -> (@y[8,16]{16,1}) ints [0] floats []
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed '/^weight/d' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W1: a constant is used that the weights do not hold: w
  at line 5: kernel k_exp (@x, @w, @a) ints [s0] m 1 n 128 cost 100
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^alloc @b.*/&\n&/' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W1: a buffer is allocated twice: b
  at line 7: alloc @b live [1, 3) at 512 bytes 512
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^free @b/free @b\nkernel k_abs (@b, @c) ints [] m 1 cost 5/' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W2: a buffer is used after it is freed: b
  at line 11: kernel k_abs (@b, @c) ints [] m 1 cost 5
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/@b, @c) ints/@a, @c) ints/' laws.wrap | ferrite inspect - --from wrap --stage wrap | grep k_neg
--out--
kernel k_neg (@a, @c) ints [] m 1 n 128 cost 100
--run-- sed 's/extern copy (@c/extern copy (@a/' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W2: a buffer is used after it is freed: a
  at line 11: extern copy (@a[8,16]{1,8}) -> (@y[8,16]{16,1}) ints [0] floats []
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^free @b/free @b\nfree @b/' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W3: a buffer is freed twice: b
  at line 11: free @b
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^free @c/free @a/' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W3: a buffer is freed twice: a
  at line 12: free @a
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed '/^symbol/! s/^assert.*/&\nfree @c/' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W3: a buffer is freed before it is allocated: c
  at line 3: free @c
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^reuse @a -> @c live \[2, 4) at 0/reuse @a -> @c live [2, 4) at 256/' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W4: two buffers that live at once overlap: c and b
  at line 8: reuse @a -> @c live [2, 4) at 256 bytes 512
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^reuse @a -> @c live \[2, 4) at 0/reuse @b -> @c live [2, 4) at 0/; /^free @b/d' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W4: two buffers that live at once overlap: c and a
  at line 8: reuse @b -> @c live [2, 4) at 0 bytes 512
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/at 512 bytes/at 768 bytes/' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W4: a buffer is not inside the arena: b
  at line 6: alloc @b live [1, 3) at 768 bytes 512
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed '/^symbol s0 =/d' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W5: a symbol is read before it is defined: s0
  at line 1: assert s0 == 16 "sixteen rows"
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/n 128 cost 100/n 8*s1 cost 100/' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W5: a symbol is read before it is defined: s1
  at line 5: kernel k_exp (@x, @w, @a) ints [s0] m 1 n 8*s1 cost 100
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^alloc @b.*bytes 512/alloc @b live [1, 3) at 512 bytes 32*s2/' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W5: a symbol is read before it is defined: s2
  at line 6: alloc @b live [1, 3) at 512 bytes 32*s2
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/extern copy (@c\[8,16\]/extern copy (@c[8,15]/' laws.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W14: an operator is not given what it takes: copy: size 1 of to is 16, and ..s is 15
  at line 11: extern copy (@c[8,15]{1,8}) -> (@y[8,16]{16,1}) ints [0] floats []
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
