# each kind of line as Python: memory, kernels, extern calls, symbols with their checks and assertions, outputs, regions, segments
--run-- ferrite inspect - --from wrap --stage python | sed '1,/^STATES/d' | grep -v '^$'
--in--
program memory
input  @x : f32[16] strides [1]
temp   @a : f32[16] strides [1]
temp   @b : f64[8] strides [1]
temp   @y : f32[16] strides [1]
wrapper arena 128 bound 128 weights 0 kernels 0 calls 1
memory @y output 0
alloc @a live [0, 1) at 64 bytes 64
reuse @a -> @b live [1, 2) at 64 bytes 64
free @b
extern copy (@x[16]{1}) -> (@y[16]{1}) ints [0] floats []
output 0 @y[16]{1}
--out--
PARTS = []
def lines(f):
    arena = f.arena(0, 128)
    x = f.input(0)
    y = f.output_memory(0, 64)
    a = arena + 64
    # b takes the place of a
    b = arena + 64
    # b ends here
    f.call(op_copy, [(x, rt.F32, (16,), (1,))],
           [(y, rt.F32, (16,), (1,))], ints=(0,))
    f.returns(0, y, rt.F32, (16,), (1,))
program = rt.Program("memory", library, INPUTS, OUTPUTS, lines, WEIGHTS, 0, STATES, PARTS)
Context = functools.partial(rt.Context, program)
run = Context()
--run-- ferrite inspect - --from wrap --stage python | sed '1,/^STATES/d' | grep -v '^$'
--in--
program kernels
input  @x : f32[16] strides [1]
const  @w : f32[4] strides [1]
state  @s : f32[4] strides [1]
temp   @y : f32[16] strides [1]
wrapper arena 0 bound 0 weights 128 kernels 2 calls 3
weight 0 @s at 0 bytes 16
weight 1 @w at 64 bytes 16
memory @y output 0
note "relu (a /* comment */ in the program)"
kernel k_rows (@x, @y) ints [4, 16] m 4 cost 700
kernel k_columns (@x, none, @w, @s, @y) ints [] m 4 n 16 cost 12
output 0 @y[4,2]{4,2} + 1
--out--
PARTS = []
def lines(f):
    x = f.input(0)
    w = f.weight(1)
    s = f.state(0)
    y = f.output_memory(0, 64)
    # relu (a /* comment */ in the program)
    f.launch(k_rows, (x, y,), (4, 16), outer=4, cost=700)
    f.launch(k_columns, (x, None, w, s, y,), (), outer=4, inner=16, cost=12)
    f.returns(0, y + 4, rt.F32, (4, 2), (4, 2))
program = rt.Program("kernels", library, INPUTS, OUTPUTS, lines, WEIGHTS, 128, STATES, PARTS)
Context = functools.partial(rt.Context, program)
run = Context()
--run-- ferrite inspect - --from wrap --stage python | sed '1,/^STATES/d' | grep -v '^$'
--in--
program extern_calls
input  @x : f32[8,32] strides [32,1]
const  @w : f32[64,32] strides [32,1]
temp   @p : f32[8,64] strides [64,1]
temp   @y : f32[8,64] strides [64,1]
wrapper arena 2048 bound 2048 weights 8192 kernels 1 calls 2
weight 0 @w at 0 bytes 8192 packed gemm 1
memory @y output 0
alloc @p live [0, 2) at 0 bytes 2048
extern gemm (@x[8,32]{32,1} + 0, @w[32,64]{1,32} packed 0, none) -> (@p[8,64]{64,1}) ints [1] floats [0.0, inf] then k_gelu (@p, @y) ints [64] m 8 n 64 cost 5
extern copy (@p[4,64]{64,1} + 256) -> (@y[4,64]{64,1}) ints [0] floats []
free @p
output 0 @y[8,64]{64,1}
--out--
PARTS = []
def lines(f):
    arena = f.arena(0, 2048)
    x = f.input(0)
    y = f.output_memory(0, 2048)
    p = arena + 0
    f.call(op_gemm, [(x, rt.F32, (8, 32), (32, 1)), (f.weight(0), rt.F32, (32, 64), (1, 32)), None],
           [(p, rt.F32, (8, 64), (64, 1))], ints=(1,), floats=(0.0, inf,), packed=2,
           epilogue=(k_gelu, (p, y,), (64,)))
    f.call(op_copy, [(p + 1024, rt.F32, (4, 64), (64, 1))],
           [(y, rt.F32, (4, 64), (64, 1))], ints=(0,))
    # p ends here
    f.returns(0, y, rt.F32, (8, 64), (64, 1))
program = rt.Program("extern_calls", library, INPUTS, OUTPUTS, lines, WEIGHTS, 8192, STATES, PARTS)
Context = functools.partial(rt.Context, program)
run = Context()
--run-- ferrite inspect - --from wrap --stage python | sed '1,/^STATES/d' | grep -v '^$'
--in--
program symbols
symbol s0 in [2, 64]
symbol s1 in [0, ]
input  @x : f32[s0,2*s1 + 3] strides [2*s1 + 3,1]
scalar "n" = s2
temp   @a : f32[s0,s0] strides [s0,1]
wrapper arena -1 bound -1 weights 0 kernels 0 calls 0
symbol s0 = size 0 0
symbol s2 = input 1
symbol s1 = size 0 1 less 3 by 2
assert s0 <= s2 && !(s1 == 4) "s0 is \"too large\""
symbol s3 = s0*s1 // 4 + min(s0, s2) % 3
alloc @a live [0, 1) bytes 4*s0*s0
free @a
output 0 int s3 - 1
output 1 bool s0 < s1
--out--
PARTS = []
LIVES_0 = rt.Lives(
    first=[0, 1],
    stretches=[(0, 1, 0, 1)],
    members=[0],
    block_of=[0],
    orders=[[0],
            [0]],
    sections=1)
def lines(f):
    s0 = f.size(0, 0)
    s2 = f.number(1)
    s1 = rt.solve(f.size(0, 1), 3, 2)
    f.check_range(0, 0, "s0", s0, 2, 64)
    f.check_range(1, None, "s2", s2, 0, None)
    f.check_range(0, 1, "s1", s1, 0, None, solved=True)
    f.check_size(0, 0, s0, "s0")
    f.check_size(0, 1, ((2 * s1) + 3), "2*s1 + 3")
    f.check_stride(0, 0, ((2 * s1) + 3), "2*s1 + 3")
    f.check(((s1 != 4) and (s0 <= s2)) != 0, "s0 is \"too large\"", s1=s1, s0=s0, s2=s2)
    places_0 = f.place(0, LIVES_0, ((4 * s0 * s0),))
    x = f.input(0)
    s3 = (((s0 * s1) // 4) + (min(s0, s2) % 3))
    a = places_0[0]
    # a ends here
    f.returns_value(0, (s3 + (-1)))
    f.returns_value(1, bool((s0 < s1)))
program = rt.Program("symbols", library, INPUTS, OUTPUTS, lines, WEIGHTS, 0, STATES, PARTS)
Context = functools.partial(rt.Context, program)
run = Context()
--run-- ferrite inspect - --from wrap --stage python | sed '1,/^STATES/d' | grep -v '^$'
--in--
program outputs
input  @x : i64[4] strides [1]
wrapper arena 0 bound 0 weights 0 kernels 0 calls 0
output 0 @x[2]{2} + 1
output 1 int -7
output 2 bool 1
output 3 float -inf
output 4 "text"
output 5 none
--out--
PARTS = []
def lines(f):
    x = f.input(0)
    f.returns(0, x + 8, rt.I64, (2,), (2,))
    f.returns_value(1, (-7))
    f.returns_value(2, bool(1))
    f.returns_value(3, -inf)
    f.returns_value(4, "text")
    f.returns_value(5, None)
program = rt.Program("outputs", library, INPUTS, OUTPUTS, lines, WEIGHTS, 0, STATES, PARTS)
Context = functools.partial(rt.Context, program)
run = Context()
--run-- ferrite inspect - --from wrap --stage python | sed '1,/^STATES/d' | grep -v '^$'
--in--
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
--out--
PARTS = []
def lines(f):
    s0 = f.size(0, 0)
    f.check_range(0, 0, "s0", s0, 2, 64)
    f.check_size(0, 0, s0, "s0")
    arena = f.arena(0, 1088)
    x = f.input(0)
    p = f.input(1)
    y = f.output_memory(0, 512)
    a = arena + 0
    f.launch(k_exp, (x, a,), (s0,), outer=1, inner=128, cost=100)
    if f.load(p + 0, rt.BOOL):
        b = arena + 512
        f.launch(k_neg, (a, b,), (), outer=1, inner=128, cost=100)
        f.launch(k_abs, (b, y,), (), outer=1, inner=128, cost=100)
        # b ends here
    else:
        f.launch(k_abs, (a, y,), (), outer=1, inner=128, cost=100)
        for u0 in range(s0):
            more = arena + 512
            f.launch(k_test, (a, more,), (u0,), outer=1, cost=100)
            if not f.load(more + 0, rt.BOOL):
                break
            # more ends here
            f.launch(k_neg, (a, y,), (), outer=1, inner=128, cost=100)
    # a ends here
    f.returns(0, y, rt.F32, (16, 8), (8, 1))
program = rt.Program("laws", library, INPUTS, OUTPUTS, lines, WEIGHTS, 0, STATES, PARTS)
Context = functools.partial(rt.Context, program)
run = Context()
--run-- ferrite inspect - --from wrap --stage python | sed '1,/^STATES/d' | grep -v '^$'
--in--
program segments
symbol s0 in [1, 64]
input  @x : f32[s0,8] strides [8,1]
input  @n : i64[] strides []
temp   @a : f32[s0,8] strides [8,1]
temp   @b : f32[s0,8] strides [8,1]
temp   @c : f32[2*s0,8] strides [8,1]
temp   @d : f32[s0,8] strides [8,1]
temp   @e : f32[u0] strides [1]
temp   @f : f32[4] strides [1]
temp   @y : f32[4] strides [1]
part @a in @c at 0
part @b in @c at 8*s0
wrapper arena -1 bound -1 weights 0 kernels 0 calls 6
memory @a in @c
memory @b in @c at 8*s0
memory @y output 0
symbol s0 = size 0 0
alloc @a live [0, 3) bytes 32*s0
extern copy (@x[s0,8]{8,1}) -> (@a[s0,8]{8,1}) ints [0] floats []
alloc @b live [1, 3) bytes 32*s0
extern copy (@x[s0,8]{8,1}) -> (@b[s0,8]{8,1}) ints [0] floats []
alloc @c live [2, 5) bytes 64*s0
alloc @d live [2, 4) bytes 32*s0
extern copy (@c[s0,8]{16,1}) -> (@d[s0,8]{8,1}) ints [0] floats []
free @a
free @b
symbol u0 = @n[]{}
assert 0 <= u0 "a size"
place 1
alloc @e live [3, 6) segment 1 bytes 4*u0
extern copy (@d[u0]{1}) -> (@e[u0]{1}) ints [0] floats []
free @d
alloc @f live [4, 6) bytes 16
extern copy (@c[4]{1}) -> (@f[4]{1}) ints [0] floats []
free @c
extern copy (@f[4]{1}) -> (@y[4]{1}) ints [0] floats []
free @e
free @f
output 0 @y[4]{1}
--out--
PARTS = []
LIVES_0 = rt.Lives(
    first=[0, 2, 3, 4],
    stretches=[(0, 1, 0, 3), (1, 2, 3, 4), (0, 1, 4, 5), (1, 2, 5, 6)],
    members=[0, 1, 2, 2, 3, 4],
    block_of=[0, 0, 0, 1, 2],
    orders=[[0, 2, 1],
            [0, 1, 2]],
    rule=2,
    sections=2)
LIVES_1 = rt.Lives(
    first=[0, 1, 2, 3, 4],
    stretches=[(0, 2, 0, 1), (0, 2, 1, 2), (0, 1, 2, 3), (1, 2, 3, 4)],
    members=[0, 1, 2, 3],
    block_of=[0, 1, 2, 3],
    orders=[[0, 1, 3, 2],
            [0, 1, 2, 3]],
    rule=2,
    sections=2)
def lines(f):
    s0 = f.size(0, 0)
    f.check_range(0, 0, "s0", s0, 1, 64)
    f.check_size(0, 0, s0, "s0")
    places_0 = f.place(0, LIVES_0, ((32 * s0), (32 * s0), (64 * s0), (32 * s0), 16,), shifts=(0, (32 * s0), 0, 0, 0,))
    x = f.input(0)
    n = f.input(1)
    y = f.output_memory(0, 16)
    a = places_0[0]
    f.call(op_copy, [(x, rt.F32, (s0, 8), (8, 1))],
           [(a, rt.F32, (s0, 8), (8, 1))], ints=(0,))
    b = places_0[1]
    f.call(op_copy, [(x, rt.F32, (s0, 8), (8, 1))],
           [(b, rt.F32, (s0, 8), (8, 1))], ints=(0,))
    c = places_0[2]
    d = places_0[3]
    f.call(op_copy, [(c, rt.F32, (s0, 8), (16, 1))],
           [(d, rt.F32, (s0, 8), (8, 1))], ints=(0,))
    # a ends here
    # b ends here
    u0 = f.load(n, rt.I64)
    f.check(0 <= u0, "a size", u0=u0)
    places_1 = f.place(1, LIVES_1, ((4 * u0), (64 * s0), (32 * s0), 16,), held=((0, 2, 0), (0, 3, 0), (0, 4, 0),))
    e = places_1[0]
    f.call(op_copy, [(d, rt.F32, (u0,), (1,))],
           [(e, rt.F32, (u0,), (1,))], ints=(0,))
    # d ends here
    f_ = places_0[4]
    f.call(op_copy, [(c, rt.F32, (4,), (1,))],
           [(f_, rt.F32, (4,), (1,))], ints=(0,))
    # c ends here
    f.call(op_copy, [(f_, rt.F32, (4,), (1,))],
           [(y, rt.F32, (4,), (1,))], ints=(0,))
    # e ends here
    # f_ ends here
    f.returns(0, y, rt.F32, (4,), (1,))
program = rt.Program("segments", library, INPUTS, OUTPUTS, lines, WEIGHTS, 0, STATES, PARTS, grows=True)
Context = functools.partial(rt.Context, program)
run = Context()
--run-- ferrite inspect - --from wrap --stage python | sed '1,/^STATES/d' | grep -v '^$'
--in--
program numbers
input  @x : f32[4] strides [1]
temp   @a : c64[4] strides [1]
temp   @y : f32[2,4] strides [4,1]
wrapper arena 64 bound 64 weights 0 kernels 1 calls 1
memory @y output 0
check @x[4]{1} no_nan "input 'x'"
alloc @a live [0, 1) at 0 bytes 32
clear @a[4]{1}
kernel k_rows (@x, @a, @y) ints [] m 4 cost 700
check @a[4]{1} no_nan "the result of %a, \"m.py\":3"
free @a
check output @y[2,2]{4,1} + 2 finite "output 0"
output 0 @y[2,2]{4,1} + 2
--out--
PARTS = []
def lines(f):
    arena = f.arena(0, 64)
    x = f.input(0)
    y = f.output_memory(0, 32)
    f.check_numbers((x, rt.F32, (4,), (1,)), False, "input 'x'")
    a = arena + 0
    f.clear((a, rt.C64, (4,), (1,)))
    f.launch(k_rows, (x, a, y,), (), outer=4, cost=700)
    f.check_numbers((a, rt.C64, (4,), (1,)), False, "the result of %a, \"m.py\":3")
    # a ends here
    f.check_numbers((y + 8, rt.F32, (2, 2), (4, 1)), True, "output 0")
    f.returns(0, y + 8, rt.F32, (2, 2), (4, 1))
program = rt.Program("numbers", library, INPUTS, OUTPUTS, lines, WEIGHTS, 0, STATES, PARTS)
Context = functools.partial(rt.Context, program)
run = Context()
--run-- ferrite inspect - --from wrap --stage python | sed '1,/^STATES/d' | grep -v '^$'
--in--
program devices
input  @x : f32[8] strides [1]
temp   @d : f32[8] strides [1] cuda 0
temp   @e : f32[8] strides [1] cuda 0
temp   @h : f32[8] strides [1] pinned
temp   @y : f32[8] strides [1]
wrapper arena 0 bound 0 weights 0 kernels 2 calls 2
memory @y output 0
place 1 cuda 0
alloc @d live [0, 2) segment 1 bytes 32
copy @x[8]{1} -> @d[8]{1}
alloc @e live [1, 3) segment 1 bytes 32
device cuda 0
kernel k_relu (@d, @e) ints [] m 1 n 8 cost 54
mark 0 cuda 0 kernels
free @d
place 2 pinned
alloc @h live [2, 4) segment 2 bytes 32
after 0 cuda 0 copies
copy @e[8]{1} -> @h[8]{1} async
free @e
wait @h
device cpu
kernel k_neg (@h, @y) ints [] m 1 n 8 cost 54
free @h
output 0 @y[8]{1}
--out--
PARTS = []
LIVES_1 = rt.Lives(
    first=[0, 1, 2],
    stretches=[(0, 1, 0, 1), (0, 1, 1, 2)],
    members=[0, 1],
    block_of=[0, 1],
    orders=[[0, 1],
            [0, 1]],
    rule=2,
    sections=1)
LIVES_2 = rt.Lives(
    first=[0, 1],
    stretches=[(0, 1, 0, 1)],
    members=[0],
    block_of=[0],
    orders=[[0],
            [0]],
    rule=2,
    sections=1)
def lines(f):
    x = f.input(0)
    y = f.output_memory(0, 32)
    places_1 = f.place(1, LIVES_1, (32, 32,))
    d = places_1[0]
    f.transfer([(x, rt.F32, (8,), (1,))], "cpu", [(d, rt.F32, (8,), (1,))], "cuda0", False)
    e = places_1[1]
    f.on_device("cuda0")
    f.launch(k_relu, (d, e,), (), outer=1, inner=8, cost=54)
    # d ends here
    places_2 = f.place(2, LIVES_2, (32,))
    h = places_2[0]
    f.transfer([(e, rt.F32, (8,), (1,))], "cuda0", [(h, rt.F32, (8,), (1,))], "cpu", True)
    # e ends here
    # h is there
    f.on_device("cpu")
    f.launch(k_neg, (h, y,), (), outer=1, inner=8, cost=54)
    # h ends here
    f.returns(0, y, rt.F32, (8,), (1,))
program = rt.Program("devices", library, INPUTS, OUTPUTS, lines, WEIGHTS, 0, STATES, PARTS, grows=True)
Context = functools.partial(rt.Context, program)
run = Context()
--run-- ferrite inspect - --from wrap --stage python | sed '1,/^STATES/d' | grep -v '^$'
--in--
program rows
symbol s0 in [2, 50]
input  @x : f32[4,s0] strides [s0,1] origin 0
temp   @buf1 : f32[4,s0] strides [s0,1] origin 1
wrapper arena 0 bound 0 weights 0 kernels 0 calls 1
memory @buf1 output 0
symbol s0 = size 0 1
scratch -64*((-s0) // 4)
note "s"
extern sort (@x[4,s0]{s0,1}) -> (@buf1[4,s0]{s0,1}, none) ints [1, 0] floats []
output 0 @buf1[4,s0]{s0,1}
--out--
PARTS = []
def lines(f):
    s0 = f.size(0, 1)
    f.check_range(0, 1, "s0", s0, 2, 50)
    f.check_size(0, 1, s0, "s0")
    f.check_stride(0, 0, s0, "s0")
    x = f.input(0)
    buf1 = f.output_memory(0, (16 * s0))
    # s
    f.call(op_sort, [(x, rt.F32, (4, s0), (s0, 1))],
           [(buf1, rt.F32, (4, s0), (s0, 1)), None], ints=(1, 0))
    f.returns(0, buf1, rt.F32, (4, s0), (s0, 1))
program = rt.Program("rows", library, INPUTS, OUTPUTS, lines, WEIGHTS, 0, STATES, PARTS)
Context = functools.partial(rt.Context, program)
run = Context()
