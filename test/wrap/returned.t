# law W11 of an output that may lie in a donated input: what lies there takes turns
--run-- ferrite inspect step.wrap --from wrap --stage wrap | cmp - step.wrap
--file step.wrap--
program step
input  @x : f32[8,8] strides [8,1] donated
temp   @b : f32[4,8] strides [8,1]
temp   @c : f32[4,8] strides [8,1]
temp   @y : f32[4,8] strides [8,1]
wrapper arena 0 bound 0 weights 0 kernels 3 calls 3
memory @b in @x at 32
memory @c in @y
memory @y output 0 else in @x
kernel k_sum (@x, @c) ints [] m 1 n 32 cost 100
kernel k_exp (@c, @b) ints [] m 1 n 32 cost 100
kernel k_add (@b, @c, @y) ints [] m 1 n 32 cost 100
output 0 @y[4,8]{8,1}
--out--
--run-- sed 's/^\(memory @b.*\)32/\116/' step.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W11: two that lie in the same bytes are used in turns: c and b
  at line 1: kernel k_sum (@x, @c) ints [] m 1 n 32 cost 100
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^kernel k_add (@b, @c/kernel k_add (@x, @b/' step.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W11: two that lie in the same bytes are used in turns: c and x
  at line 1: kernel k_sum (@x, @c) ints [] m 1 n 32 cost 100
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/else in @x/else in @b/' step.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W11: a buffer lies in an input that is not donated: c
  at line 1: kernel k_sum (@x, @c) ints [] m 1 n 32 cost 100
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^temp   @y : f32.4,8./temp   @y : f32[9,8]/; s/@y.4,8./@y[9,8]/' step.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W11: a buffer is not inside the memory that it lies in: y
  at line 3: kernel k_add (@b, @c, @y) ints [] m 1 n 32 cost 100
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
