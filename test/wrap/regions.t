# regions of lines: their text, and what breaks law W7
--run-- ferrite inspect regions.wrap --from wrap --stage wrap | cmp - regions.wrap
--file regions.wrap--
program laws
symbol s0 in [2, 64]
input  @x : f32[s0,8] strides [8,1]
input  @p : bool[] strides []
temp   @a : f32[16,8] strides [8,1]
temp   @b : f32[16,8] strides [8,1]
temp   @more : bool[] strides []
temp   @y : f32[16,8] strides [8,1]
wrapper arena 1088 bound 1088 weights 0 kernels 2 calls 5
memory @y output 0
symbol s0 = size 0 0
alloc @a live [0, 7) at 0 bytes 512
kernel k_exp (@x, @a) ints [s0] m 1 n 128 cost 100
if @p[]{} -> (@y[16,8]{8,1})
alloc @b live [2, 4) at 512 bytes 512
kernel k_neg (@a, @b) ints [] m 1 n 128 cost 100
kernel k_abs (@b, @y) ints [] m 1 n 128 cost 100
free @b
else
kernel k_abs (@a, @y) ints [] m 1 n 128 cost 100
repeat u0 < s0
alloc @more live [5, 6) at 512 bytes 1
kernel k_test (@a, @more) ints [u0] m 1 cost 100
while @more[]{}
free @more
kernel k_neg (@a, @y) ints [] m 1 n 128 cost 100
end
end
free @a
output 0 @y[16,8]{8,1}
--run-- sed '/^free @b/d' regions.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W7: a buffer outlives its region: b
  at line 8: else
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^while.*/&\nfree @a/; /^free @a$/{ x; s/^/x/; /^xx/{ x; d; }; x; }' regions.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W7: a buffer is freed at every step: a
  at line 15: free @a
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed '0,/^end$/{/^end$/d}' regions.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W7: a region does not end: else
  at line 19: output 0 @y[16,8]{8,1}
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^else$/end/' regions.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W7: a region ends that has not begun: 
  at line 18: end
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed '/^repeat/d' regions.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W5: a symbol is read before it is defined: u0
  at line 12: kernel k_test (@a, @more) ints [u0] m 1 cost 100
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^output/end\n&/' regions.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W7: a region ends that has not begun: 
  at line 20: end
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/\[u0\]/[u1]/' regions.wrap | ferrite inspect - --from wrap --stage wrap | sed -n '/^wrapper/,$p'
--err--
error: wrap: law W5: a symbol is read before it is defined: u1
  at line 13: kernel k_test (@a, @more) ints [u1] m 1 cost 100
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
