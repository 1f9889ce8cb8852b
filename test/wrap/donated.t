# law W11: what lies in one input's memory takes turns
--run-- ferrite inspect gift.wrap --from wrap --stage wrap | cmp - gift.wrap
--file gift.wrap--
program gift
input  @x : f32[8,8] strides [8,1] donated
temp   @a : f32[8,8] strides [8,1]
temp   @b : f32[4,8] strides [8,1]
temp   @c : f32[4,8] strides [8,1]
temp   @y : f32[4,8] strides [8,1]
wrapper arena 256 bound 256 weights 0 kernels 2 calls 4
memory @b in @x
memory @c in @x at 32
memory @y output 0
alloc @a live [0, 3) at 0 bytes 256
kernel k_exp (@x, @a) ints [] m 1 n 64 cost 100
extern copy (@a[4,8]{8,1}) -> (@b[4,8]{8,1}) ints [0] floats []
extern copy (@a[4,8]{8,1} + 32) -> (@c[4,8]{8,1}) ints [0] floats []
free @a
kernel k_add (@b, @c, @y) ints [] m 1 n 32 cost 100
output 0 @y[4,8]{8,1}
--run-- sed 's/^\(memory @c in @x\).*/\1/' gift.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W11: two that lie in the same bytes are used in turns: b and c
  at line 3: extern copy (@a[4,8]{8,1}) -> (@b[4,8]{8,1}) ints [0] floats []
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/ donated$//' gift.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W11: a buffer lies in an input that is not donated: b
  at line 3: extern copy (@a[4,8]{8,1}) -> (@b[4,8]{8,1}) ints [0] floats []
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/at 32$/at 33/' gift.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W11: a buffer is not inside the memory that it lies in: c
  at line 4: extern copy (@a[4,8]{8,1} + 32) -> (@c[4,8]{8,1}) ints [0] floats []
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^free @a/kernel k_exp (@x, @y) ints [] m 1 n 64 cost 100\n&/' gift.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W11: two that lie in the same bytes are used in turns: b and x
  at line 3: extern copy (@a[4,8]{8,1}) -> (@b[4,8]{8,1}) ints [0] floats []
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/^output.*/&\noutput 1 @x[8,8]{8,1}/' gift.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W11: two that lie in the same bytes are used in turns: b and x
  at line 3: extern copy (@a[4,8]{8,1}) -> (@b[4,8]{8,1}) ints [0] floats []
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- sed 's/(@a\[4,8\]{8,1}) -> (@b/(@x[4,8]{8,1}) -> (@b/' gift.wrap | ferrite inspect - --from wrap --stage wrap
--err--
error: wrap: law W11: two that lie in the same bytes are used in turns: b and x
  at line 3: extern copy (@x[4,8]{8,1}) -> (@b[4,8]{8,1}) ints [0] floats []
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- for s in c python; do ferrite inspect gift.wrap --from wrap --stage $s | sed -n '/[ *]const b =/p; /[ *]const c =/p; /^    [bc] = /p; /donated/p'; done
--out--
static const uint32_t donated[] = {0, };
    float *const b = (void *)((char *)x);
    float *const c = (void *)((char *)x + (32) * 4);
    .donated = donated,
    .donated_count = 1,
    b = x
    c = x + 128
program = rt.Program("gift", library, INPUTS, OUTPUTS, lines, WEIGHTS, 0, STATES, PARTS, donated=(0,))
