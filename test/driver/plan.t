# the arena over time, as text and as a picture
--run-- ferrite inspect arena.loop --from loop --stage plan | sed 's/k_exp_[0-9a-f]*/k_exp/'
--file arena.loop--
program arena
input  @x : f32[64] strides [1]
temp   @a : f32[64] strides [1]
temp   @b : f32[64] strides [1]
temp   @c : f32[128] strides [1]
temp   @y : f32[4] strides [1]
extern copy (@x[64]{1}) -> (@a[64]{1}) ints [0] floats []
nest [i0 < 64] {
  %0 = load f32 @a[i0]
  %1 = exp %0 : f32
  @b[i0] = %1
}
extern copy (@b[2,64]{0,1}) -> (@c[2,64]{64,1}) ints [0] floats []
extern copy (@c[4]{2}) -> (@y[4]{1}) ints [0] floats []
output @y[4]{1}
--out--
plan arena: arena 768 bytes, bound 768, 768 in use at once (step 2), 3 buffers, order proven least
step 0 live 256 copy
step 1 live 256 k_exp
step 2 live 768 copy
step 3 live 512 copy
@a live [0, 2) at 512 bytes 256 in @b
@b live [1, 3) at 512 bytes 256 peak
@c live [2, 4) at 0 bytes 512 peak
--run-- ferrite inspect arena.loop --from loop --stage plan --plot arena.svg > /dev/null && grep -c '<rect' arena.svg && sed -n '/font-weight/p; /class="mark"/p; /<title>b:/p; /^<text.*>c</p' arena.svg
--out--
4
<text x="90" y="20" font-weight="bold">arena: arena of 768 bytes, 768 in use at once, 3 buffers</text>
<rect x="365.0" y="50.0" width="550.0" height="186.7" fill="hsl(137,55%,65%)"><title>b: 256 bytes at 512, steps 1 to 2
<text x="915.0" y="427.3" text-anchor="middle" class="name">c</text>
<text x="777.5" y="44" text-anchor="end" class="mark">peak 768 B: copy</text>
--run-- sed 's/64/s0/g; s/128/2*s0/; s/^input/symbol s0 in [4, 4096] hint 64\n&/' arena.loop | ferrite inspect - --from loop --stage plan | sed 's/k_exp_[0-9a-f]*/k_exp/'
--out--
plan arena: arena 768 bytes, bound 768, 768 in use at once (step 2), 3 buffers, order proven least; for the sizes of the example
step 0 live 256 copy
step 1 live 256 k_exp
step 2 live 768 copy
step 3 live 512 copy
@a live [0, 2) at 0 bytes 256 = 4*s0 in @b
@b live [1, 3) at 0 bytes 256 = 4*s0 peak
@c live [2, 4) at 256 bytes 512 = 8*s0 peak
--run-- ferrite inspect $ROOT/test/cases/programs/ragged_rows.pt2 --stage plan | sed -n '1p; /segment/p'
--out--
plan ragged_rows: arena 128 bytes, bound 128, 63 in use at once (step 12), 5 buffers, order proven least; for the sizes of the example
@buf4 live [4, 6) at 64 bytes 56 = 8*u0 segment 1
@buf11 live [7, 13) at 64 bytes 7 = u0 segment 1 peak
@buf12 live [8, 10) at 0 bytes 8 segment 1
@buf13 live [12, 14) at 0 bytes 56 = 8*u1 segment 2 peak
--run-- sed 's/64/s0/g; s/128/2*s0/; s/^input/symbol s0 in [4, 4096] hint 64\n&/' arena.loop >m.loop; for s in s0=1000 s0=100000 s1=3 s0=x s0; do ferrite inspect m.loop --from loop --stage plan --sizes $s | sed -n '1p; /@c/p'; done
--out--
plan arena: arena 12032 bytes, bound 12032, 12000 in use at once (step 2), 3 buffers; for the sizes that were given
@c live [2, 4) at 4032 bytes 8000 = 8*s0 peak
--err--
error: plan: sizes: s0 is never 100000
  help: there are s0 in [4, 4096]
error: plan: sizes: the program has no symbol 's1'
  help: there are s0 in [4, 4096]
error: plan: sizes: 's0=x' is not NAME=NUMBER
  help: as s0=8,s1=128
error: plan: sizes: 's0' is not NAME=NUMBER
  help: as s0=8,s1=128
--status-- 1
--run-- ferrite inspect parts.fx --stage plan
--file parts.fx--
graph main {
  placeholder %x user "x" : f32[5,5]
  %a = aten.mm.default(%x, %x) : f32[5,5]
  %s = aten.mm.default(%a, %x) : f32[5,5]
  %b = aten.exp.default(%a) : f32[5,5]
  %d = aten.cat.default([%b, %s]) : f32[10,5]
  %e = aten.mm.default(%d, %x) : f32[10,5]
  %y = aten.sum.default(%e) : f32[]
  output (user %y)
}
--out--
plan parts: arena 512 bytes + 832 a thread, bound 512, 400 in use at once (step 2), 4 buffers, order proven least
step 0 live 300 a, d
step 1 live 300 s
step 2 live 400 e
step 3 live 200 y
@buf1 live [0, 2) at 256 bytes 100
@buf2 live [1, 3) at 100 bytes 100 in @buf3 peak
@buf3 live [0, 3) at 0 bytes 200 peak
@buf4 live [2, 4) at 256 bytes 200 peak
