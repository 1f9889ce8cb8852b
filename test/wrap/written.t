# law W15: what is read, some line has written on every way to it; what is to change, a line changes
--run-- ferrite inspect true.wrap --from wrap --stage wrap | cmp - true.wrap
--file true.wrap--
program written
input  @x : f32[8] strides [1]
input  @p : bool[] strides []
input  @m : f32[8] strides [1] mutated
state  @s : f32[8] strides [1]
temp   @a : f32[8] strides [1]
temp   @b : f32[8] strides [1]
temp   @ab : f32[16] strides [1]
temp   @abc : f32[24] strides [1]
temp   @t : f32[8] strides [1]
temp   @u : f32[8] strides [1]
temp   @v : f32[8] strides [1]
temp   @y : f32[24] strides [1]
temp   @z : f32[8] strides [1]
part @a in @ab at 0
part @b in @ab at 8
part @ab in @abc at 0
wrapper arena 160 bound 160 weights 32 kernels 0 calls 10
weight 0 @s at 0 bytes 32
memory @a in @abc
memory @b in @abc at 8
memory @ab in @abc
memory @y output 0
memory @z output 1
alloc @a live [0, 4) at 0 bytes 32
extern copy (@x[8]{1}) -> (@a[8]{1}) ints [0] floats []
alloc @b live [0, 4) at 32 bytes 32
extern copy (@x[8]{1}) -> (@b[8]{1}) ints [0] floats []
alloc @ab live [0, 4) at 0 bytes 64
alloc @abc live [0, 4) at 0 bytes 96
extern copy (@ab[8]{1} + 8) -> (@abc[8]{1} + 16) ints [0] floats []
extern copy (@abc[24]{1}) -> (@y[24]{1}) ints [0] floats []
free @a
free @b
free @ab
free @abc
alloc @t live [4, 14) at 0 bytes 32
if @p[]{} -> (@t[8]{1})
extern copy (@x[8]{1}) -> (@t[8]{1}) ints [0] floats []
else
extern copy (@m[8]{1}) -> (@t[8]{1}) ints [0] floats []
end
alloc @u live [6, 14) at 32 bytes 32
repeat forever -> (@u[8]{1})
extern copy (@t[8]{1}) -> (@u[8]{1}) ints [0] floats []
while @p[]{}
end
alloc @v live [10, 14) at 64 bytes 32
repeat u0 < 2 -> (@v[8]{1})
extern copy (@u[8]{1}) -> (@v[8]{1}) ints [0] floats []
end
extern copy (@v[8]{1}) -> (@m[8]{1}) ints [0] floats []
extern copy (@u[8]{1}) -> (@s[8]{1}) ints [0] floats []
extern copy (@u[8]{1}) -> (@z[8]{1}) ints [0] floats []
free @t
free @u
free @v
output 0 @y[24]{1}
output 1 @z[8]{1}
--run-- for n in $(grep -n '^extern' true.wrap | cut -d: -f1); do sed -n "$n{s/.*-> //; s/ ints.*//; p}" true.wrap; sed ${n}d true.wrap | ferrite inspect - --from wrap --stage wrap 2>&1 | sed -n 's/^error: wrap/ /p'; done
--out--
(@a[8]{1})
 : law W15: a buffer is read that no line before has written: ab
(@b[8]{1})
 : law W15: a buffer is read that no line before has written: ab
(@abc[8]{1} + 16)
 : law W15: a buffer is read that no line before has written: abc
(@y[24]{1})
 : law W15: a buffer is read that no line before has written: y
(@t[8]{1})
 : law W15: a buffer is read that no line before has written: t
(@t[8]{1})
 : law W15: a buffer is read that no line before has written: t
(@u[8]{1})
 : law W15: a buffer is read that no line before has written: u
(@v[8]{1})
 : law W15: a buffer is read that no line before has written: v
(@m[8]{1})
 : law W15: no line gives a new value to what has one: m
(@s[8]{1})
 : law W15: no line gives a new value to what has one: s
(@z[8]{1})
 : law W15: a buffer is read that no line before has written: z
--status-- 1
--run-- sed '/^repeat forever/,/^end/{/^extern/d; s/^while.*/&\nextern copy (@t[8]{1}) -> (@u[8]{1}) ints [0] floats []/}' true.wrap | ferrite inspect - --from wrap --stage wrap 2>&1 | sed -n 's|^error: ||p'
--out--
wrap: law W15: a buffer is read that no line before has written: u
--status-- 1
--run-- sed '/^else/,/^end/{/^extern/d}' true.wrap | ferrite inspect - --from wrap --stage wrap 2>&1 | sed -n 's|^error: ||p'
--out--
wrap: law W15: a buffer is read that no line before has written: t
--status-- 1
--run-- sed 's/@x\[8\]{1}) -> (@b\[8\]/@z[8]{1}) -> (@b[8]/' true.wrap | ferrite inspect - --from wrap --stage wrap 2>&1 | sed -n 's|^error: ||p'
--out--
wrap: law W15: a buffer is read that no line before has written: z
--status-- 1
