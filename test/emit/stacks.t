# lives that the planner's quick orders do not place at the bound: the plan that search found goes along as a stack
--run-- ferrite inspect stacks.wrap --from wrap --stage plan | sed -n 1p; ferrite inspect stacks.wrap --from wrap --stage c | grep stack | grep -v signature; ferrite inspect stacks.wrap --from wrap --stage python | grep stacks=
--file stacks.wrap--
program stacks
symbol s0 in [1, 64] hint 4
input  @x : f32[s0,4096] strides [4096,1]
temp   @t0 : f32[48*s0] strides [1]
temp   @t1 : f32[4272*s0] strides [1]
temp   @t2 : f32[48*s0] strides [1]
temp   @t3 : f32[4752*s0] strides [1]
temp   @t4 : f32[3792*s0] strides [1]
temp   @t5 : f32[288*s0] strides [1]
temp   @t6 : f32[240*s0] strides [1]
temp   @t7 : f32[480*s0] strides [1]
temp   @t8 : f32[240*s0] strides [1]
temp   @t9 : f32[3888*s0] strides [1]
temp   @t10 : f32[336*s0] strides [1]
temp   @t11 : f32[432*s0] strides [1]
temp   @t12 : f32[96*s0] strides [1]
temp   @y : f32[48*s0] strides [1]
wrapper arena -1 bound -1 weights 0 kernels 0 calls 26
memory @y output 0
symbol s0 = size 0 0
alloc @t0 live [0, 20) bytes 192*s0
extern copy (@x[48*s0]{1}) -> (@t0[48*s0]{1}) ints [0] floats []
alloc @t3 live [1, 3) bytes 19008*s0
extern copy (@x[4752*s0]{1}) -> (@t3[4752*s0]{1}) ints [0] floats []
extern copy (@t3[48*s0]{1}) -> (@y[48*s0]{1}) ints [0] floats []
free @t3
alloc @t2 live [3, 14) bytes 192*s0
extern copy (@x[48*s0]{1}) -> (@t2[48*s0]{1}) ints [0] floats []
alloc @t4 live [4, 15) bytes 15168*s0
extern copy (@x[3792*s0]{1}) -> (@t4[3792*s0]{1}) ints [0] floats []
alloc @t7 live [5, 8) bytes 1920*s0
extern copy (@x[480*s0]{1}) -> (@t7[480*s0]{1}) ints [0] floats []
alloc @t11 live [6, 9) bytes 1728*s0
extern copy (@x[432*s0]{1}) -> (@t11[432*s0]{1}) ints [0] floats []
extern copy (@t7[48*s0]{1}) -> (@y[48*s0]{1}) ints [0] floats []
free @t7
extern copy (@t11[48*s0]{1}) -> (@y[48*s0]{1}) ints [0] floats []
free @t11
alloc @t6 live [9, 26) bytes 960*s0
extern copy (@x[240*s0]{1}) -> (@t6[240*s0]{1}) ints [0] floats []
alloc @t8 live [10, 16) bytes 960*s0
extern copy (@x[240*s0]{1}) -> (@t8[240*s0]{1}) ints [0] floats []
alloc @t10 live [11, 22) bytes 1344*s0
extern copy (@x[336*s0]{1}) -> (@t10[336*s0]{1}) ints [0] floats []
alloc @t12 live [12, 17) bytes 384*s0
extern copy (@x[96*s0]{1}) -> (@t12[96*s0]{1}) ints [0] floats []
extern copy (@t2[48*s0]{1}) -> (@y[48*s0]{1}) ints [0] floats []
free @t2
extern copy (@t4[48*s0]{1}) -> (@y[48*s0]{1}) ints [0] floats []
free @t4
extern copy (@t8[48*s0]{1}) -> (@y[48*s0]{1}) ints [0] floats []
free @t8
extern copy (@t12[48*s0]{1}) -> (@y[48*s0]{1}) ints [0] floats []
free @t12
alloc @t5 live [17, 25) bytes 1152*s0
extern copy (@x[288*s0]{1}) -> (@t5[288*s0]{1}) ints [0] floats []
alloc @t9 live [18, 21) bytes 15552*s0
extern copy (@x[3888*s0]{1}) -> (@t9[3888*s0]{1}) ints [0] floats []
extern copy (@t0[48*s0]{1}) -> (@y[48*s0]{1}) ints [0] floats []
free @t0
extern copy (@t9[48*s0]{1}) -> (@y[48*s0]{1}) ints [0] floats []
free @t9
extern copy (@t10[48*s0]{1}) -> (@y[48*s0]{1}) ints [0] floats []
free @t10
alloc @t1 live [22, 24) bytes 17088*s0
extern copy (@x[4272*s0]{1}) -> (@t1[4272*s0]{1}) ints [0] floats []
extern copy (@t1[48*s0]{1}) -> (@y[48*s0]{1}) ints [0] floats []
free @t1
extern copy (@t5[48*s0]{1}) -> (@y[48*s0]{1}) ints [0] floats []
free @t5
extern copy (@t6[48*s0]{1}) -> (@y[48*s0]{1}) ints [0] floats []
free @t6
output 0 @y[48*s0]{1}
--out--
plan stacks: arena 76800 bytes, bound 76800, 76800 in use at once (step 1), 13 buffers; for the sizes of the example
/* stacks, made by ferrite 0.1 from stacks.wrap.
static const uint32_t stacks_0[] = {0, 1, 3, 4, 9, 7, 12, 10, 6, 11, 5, 8, 2};
    .stack_count = 1,
    .stacks = stacks_0,
    .name = "stacks",
    stacks=[[0, 1, 3, 4, 9, 7, 12, 10, 6, 11, 5, 8, 2]],
--run-- ferrite compile stacks.wrap --from wrap -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -rdynamic -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so
--in--
in 0 f32 [1,4096]
context 1
run
allocates
in 0 f32 [4,4096]
run
allocates
--out--
no allocation
no allocation
