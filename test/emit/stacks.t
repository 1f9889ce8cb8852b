# lives that the planner's quick orders do not place at the bound: the plan that search found goes along as a stack
--run-- ferrite inspect stacks.wrap --from wrap --stage plan | sed -n 1p; ferrite inspect stacks.wrap --from wrap --stage c | grep stack; ferrite inspect stacks.wrap --from wrap --stage python | grep stacks=
--file stacks.wrap--
program stacks
symbol s0 in [1, 64] hint 4
input  @x : f32[s0,2048] strides [2048,1]
temp   @t0 : f32[1104*s0] strides [1]
temp   @t1 : f32[432*s0] strides [1]
temp   @t2 : f32[672*s0] strides [1]
temp   @t3 : f32[240*s0] strides [1]
temp   @t4 : f32[48*s0] strides [1]
temp   @t5 : f32[208*s0] strides [1]
temp   @t6 : f32[256*s0] strides [1]
temp   @t7 : f32[80*s0] strides [1]
temp   @t8 : f32[160*s0] strides [1]
temp   @t9 : f32[160*s0] strides [1]
temp   @all : f32[200000*s0] strides [1]
temp   @y : f32[48*s0] strides [1]
wrapper arena -1 bound -1 weights 0 kernels 0 calls 21
memory @y output 0
symbol s0 = size 0 0
alloc @all live [0, 10) bytes 800000*s0
alloc @t4 live [0, 7) bytes 192*s0
extern copy (@x[48*s0]{1}) -> (@t4[48*s0]{1}) ints [] floats []
alloc @t8 live [0, 5) bytes 640*s0
extern copy (@x[160*s0]{1}) -> (@t8[160*s0]{1}) ints [] floats []
alloc @t3 live [1, 7) bytes 960*s0
extern copy (@x[240*s0]{1}) -> (@t3[240*s0]{1}) ints [] floats []
alloc @t0 live [2, 3) bytes 4416*s0
extern copy (@x[1104*s0]{1}) -> (@t0[1104*s0]{1}) ints [] floats []
extern copy (@t0[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t0
alloc @t2 live [3, 10) bytes 2688*s0
extern copy (@x[672*s0]{1}) -> (@t2[672*s0]{1}) ints [] floats []
alloc @t1 live [4, 8) bytes 1728*s0
extern copy (@x[432*s0]{1}) -> (@t1[432*s0]{1}) ints [] floats []
extern copy (@t8[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t8
alloc @t9 live [6, 10) bytes 640*s0
extern copy (@x[160*s0]{1}) -> (@t9[160*s0]{1}) ints [] floats []
extern copy (@t3[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t3
extern copy (@t4[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t4
alloc @t5 live [7, 8) bytes 832*s0
extern copy (@x[208*s0]{1}) -> (@t5[208*s0]{1}) ints [] floats []
alloc @t7 live [7, 10) bytes 320*s0
extern copy (@x[80*s0]{1}) -> (@t7[80*s0]{1}) ints [] floats []
extern copy (@t1[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t1
extern copy (@t5[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t5
alloc @t6 live [9, 10) bytes 1024*s0
extern copy (@x[256*s0]{1}) -> (@t6[256*s0]{1}) ints [] floats []
extern copy (@t2[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t2
extern copy (@t6[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t6
extern copy (@t7[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t7
extern copy (@t9[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t9
free @all
output 0 @y[48*s0]{1}
--out--
plan stacks: arena 3224832 bytes, bound 3224832, 3224832 in use at once (step 2), 11 buffers; for the sizes of the example
/* stacks, made by ferrite 0.1 from stacks.wrap.
static const uint32_t stacks_0[] = {10, 0, 2, 1, 6, 8, 9, 3, 7, 5, 4};
    .stack_count = 1,
    .stacks = stacks_0,
    .name = "stacks",
    stacks=[[10, 0, 2, 1, 6, 8, 9, 3, 7, 5, 4]],
--run-- ferrite compile stacks.wrap --from wrap -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -rdynamic -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so
--in--
in 0 f32 [1,2048]
context 1
run
allocates
in 0 f32 [4,2048]
run
allocates
--out--
no allocation
no allocation
