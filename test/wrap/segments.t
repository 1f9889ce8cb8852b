# the arena's segments: buffers are placed where the last symbol in their size is known; definitions in a row share one; small buffers beside them join them; one arena for all sizes
--run-- ferrite inspect - --from loop --stage wrap | sed 's/\(k_[a-z_]*\)_[0-9a-f]* (/\1 (/; s/ cost [0-9]*//' | sed -n '/^wrapper/,$p'
--in--
program segments
input  @x : f32[8] strides [1]
input  @n : i64[2] strides [1]
temp   @a : f32[8] strides [1]
temp   @b : f32[u0] strides [1]
temp   @c : f32[u0,u1] strides [u1,1]
temp   @d : f32[u2] strides [1]
temp   @e : f32[u2] strides [1]
temp   @m : i64[] strides []
extern copy (@x[8]{1}) -> (@a[8]{1}) ints [0] floats []
define u0 = @n[]{}
assert 0 <= u0 "first"
define u1 = @n[]{} + 1
assert 1 <= u1 "second"
assert u0 <= 8 "third"
extern copy (@a[u0]{1}) -> (@b[u0]{1}) ints [0] floats []
extern copy (@b[u0,u1]{1,0}) -> (@c[u0,u1]{u1,1}) ints [0] floats []
nest [] reduce [r0 < u0] {
  %0 = load f32 @c[r0*u1]
  %1 = const 1.0 : f32
  %2 = lt %0, %1 : bool
  %3 = cast %2 : i64
  @m[0] = sum %3
}
define u2 = @m[]{}
assert u2 <= u0*u1 "fourth"
extern copy (@c[u2]{1}) -> (@d[u2]{1}) ints [0] floats []
extern copy (@d[u2]{1}) -> (@e[u2]{1}) ints [0] floats []
output @e[u2]{1}
output int u0 + u2
--out--
wrapper arena 64 bound 64 weights 0 kernels 1 calls 6
alloc @a live [0, 7) at 0 bytes 32
extern copy (@x[8]{1}) -> (@a[8]{1}) ints [0] floats []
symbol u0 = @n[]{}
assert 0 <= u0 "first"
symbol u1 = @n[]{} + 1
assert 1 <= u1 "second"
assert u0 <= 8 "third"
place 1
alloc @b live [6, 8) segment 1 bytes 4*u0
extern copy (@a[u0]{1}) -> (@b[u0]{1}) ints [0] floats []
free @a
alloc @c live [7, 12) segment 1 bytes 4*u0*u1
extern copy (@b[u0,u1]{1,0}) -> (@c[u0,u1]{u1,1}) ints [0] floats []
free @b
alloc @m live [8, 10) segment 1 bytes 8
kernel k_sum_lt (@c, @m) ints [u0, u1] m 1
symbol u2 = @m[]{}
free @m
assert u2 <= u0*u1 "fourth"
place 2
alloc @d live [11, 13) segment 2 bytes 4*u2
extern copy (@c[u2]{1}) -> (@d[u2]{1}) ints [0] floats []
free @c
alloc @e output 0 bytes 4*u2
extern copy (@d[u2]{1}) -> (@e[u2]{1}) ints [0] floats []
free @d
output 0 @e[u2]{1}
output 1 int u0 + u2
--run-- ferrite inspect laws.wrap --from wrap --stage wrap | cmp - laws.wrap
--file laws.wrap--
program laws
input  @x : f32[8] strides [1]
input  @n : i64[1] strides [1]
temp   @a : f32[u0] strides [1]
temp   @b : f32[u0] strides [1]
temp   @y : f32[u0] strides [1]
wrapper arena 0 bound 0 weights 0 kernels 0 calls 3
symbol u0 = @n[]{}
assert 0 <= u0 "a size"
assert u0 <= 8 "of x"
place 1
alloc @a live [0, 2) segment 1 bytes 4*u0
extern copy (@x[u0]{1}) -> (@a[u0]{1}) ints [0] floats []
alloc @b live [1, 3) segment 1 bytes 4*u0
extern copy (@a[u0]{1}) -> (@b[u0]{1}) ints [0] floats []
free @a
alloc @y output 0 bytes 4*u0
extern copy (@b[u0]{1}) -> (@y[u0]{1}) ints [0] floats []
free @b
output 0 @y[u0]{1}
--run-- sed '/^place/d' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W6: a buffer is allocated before its segment is placed: a
  at line 4: alloc @a live [0, 2) segment 1 bytes 4*u0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^place 1/&\n&/' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W6: a segment is placed twice: 1
  at line 5: place 1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^place 1/place 0/' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W6: a segment is placed twice: 0
  at line 4: place 0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed '/^symbol u0/{ h; d; }; /^place/G' laws.wrap | sed '/^assert/d' | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W5: a symbol is read before it is defined: u0
  at line 1: place 1
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^symbol u0.*/&\n&/' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W5: a symbol is defined twice: u0
  at line 2: symbol u0 = @n[]{}
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed '/^alloc @y/d; s/^wrapper/memory @y output 0\n&/' laws.wrap | sed '/^memory/d; s/^symbol/memory @y output 0\n&/' | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W1: a buffer is used before it is allocated: y
  at line 10: extern copy (@b[u0]{1}) -> (@y[u0]{1}) ints [0] floats []
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^free @a/&\n&/' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W3: a buffer is freed twice: a
  at line 10: free @a
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- ferrite inspect - --from loop --stage wrap | sed 's/\(k_[a-z_]*\)_[0-9a-f]* (/\1 (/; s/ cost [0-9]*//' | sed -n '/^wrapper/,$p'
--in--
program steps_of_sizes_of_their_own
input  @x : f32[8] strides [1]
input  @n : i64[] strides []
temp   @a : i64[u0] strides [1]
temp   @k : i64[] strides []
temp   @b : i64[u1] strides [1]
temp   @y : i64[3] strides [1]
define u0 = @n[]{}
assert 0 <= u0 "a length"
repeat u2 < 3 -> (@y[3]{1})
nest [i0 < u0] {
  %0 = index u2 + i0 : i64
  @a[i0] = %0
}
nest [] reduce [r0 < u0] {
  %0 = load i64 @a[r0]
  @k[0] = sum %0
}
define u1 = @k[]{}
assert 0 <= u1 "a sum"
extern repeat (@a[u0]{1}) -> (@b[u1]{1}) ints [] floats []
nest [] reduce [r0 < u1] {
  %0 = load i64 @b[r0]
  @y[u2] = sum %0
}
end
output @y[3]{1}
--out--
wrapper arena 0 bound 0 weights 0 kernels 2 calls 3
memory @y output 0
symbol u0 = @n[]{}
assert 0 <= u0 "a length"
place 1
repeat u2 < 3 -> (@y[3]{1})
alloc @a live [3, 7) segment 1 bytes 8*u0
alloc @k live [3, 5) segment 1 bytes 8
kernel k_sum (@a, @k) ints [u0, u2] m 1
symbol u1 = @k[]{}
free @k
assert 0 <= u1 "a sum"
place 2
alloc @b live [6, 8) segment 2 bytes 8*u1
extern repeat (@a[u0]{1}) -> (@b[u1]{1}) ints [] floats []
free @a
kernel k_sum (@b, @y) ints [u1, u2] m 1
free @b
end
output 0 @y[3]{1}
--run-- sed 's/@a live \[0, 2)/@a live [0, 1)/' laws.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W4: two buffers that live at once overlap: b and a
  at line 7: alloc @b live [1, 3) segment 1 bytes 4*u0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- ferrite inspect most.wrap --from wrap --stage wrap | cmp - most.wrap
--file most.wrap--
program most
symbol s0 in [0, 64]
input  @x : f32[s0] strides [1]
temp   @a : f32[s0] strides [1]
temp   @b : f32[s0] strides [1]
temp   @y : f32[s0] strides [1]
wrapper arena 512 bound 512 weights 0 kernels 0 calls 3 bounded
memory @y output 0
symbol s0 = size 0 0
alloc @a live [0, 2) at 0 bytes 4*s0
extern copy (@x[s0]{1}) -> (@a[s0]{1}) ints [0] floats []
alloc @b live [1, 3) at 256 bytes 4*s0
extern copy (@a[s0]{1}) -> (@b[s0]{1}) ints [0] floats []
free @a
extern copy (@b[s0]{1}) -> (@y[s0]{1}) ints [0] floats []
free @b
output 0 @y[s0]{1}
--run-- sed 's/at 256/at 192/' most.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W4: two buffers that live at once overlap: b and a
  at line 4: alloc @b live [1, 3) at 192 bytes 4*s0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/arena 512/arena 448/' most.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W4: a buffer is not inside the arena: b
  at line 4: alloc @b live [1, 3) at 256 bytes 4*s0
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/in .0, 64./in [0, ]/' most.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: max-arena: s0 (dimension 0 of input 'x') has no upper bound, and @y takes 4*s0 bytes
  help: give it a maximum where the program is exported, Dim(..., max=...), or leave max-arena out
--status-- 1
