# lives that the planner's quick orders do not place at the bound: the plan that search found goes along as a stack
--run-- ferrite inspect stacks.wrap --from wrap --stage plan | sed -n 1p; ferrite inspect stacks.wrap --from wrap --stage c | grep stack; ferrite inspect stacks.wrap --from wrap --stage python | grep stacks=
--file stacks.wrap--
program stacks
symbol s0 in [1, 64] hint 4
input  @x : f32[s0,4096] strides [4096,1]
temp   @t0 : f32[576*s0] strides [1]
temp   @t1 : f32[48*s0] strides [1]
temp   @t2 : f32[48*s0] strides [1]
temp   @t3 : f32[480*s0] strides [1]
temp   @t4 : f32[144*s0] strides [1]
temp   @t5 : f32[144*s0] strides [1]
temp   @t6 : f32[144*s0] strides [1]
temp   @t7 : f32[144*s0] strides [1]
temp   @t8 : f32[48*s0] strides [1]
temp   @t9 : f32[48*s0] strides [1]
temp   @t10 : f32[3552*s0] strides [1]
temp   @t11 : f32[2736*s0] strides [1]
temp   @t12 : f32[2736*s0] strides [1]
temp   @t13 : f32[816*s0] strides [1]
temp   @t14 : f32[240*s0] strides [1]
temp   @t15 : f32[48*s0] strides [1]
temp   @t16 : f32[48*s0] strides [1]
temp   @t17 : f32[288*s0] strides [1]
temp   @y : f32[48*s0] strides [1]
wrapper arena -1 bound -1 weights 0 kernels 0 calls 36
memory @y output 0
symbol s0 = size 0 0
alloc @t0 live [0, 21) bytes 2304*s0
extern copy (@x[576*s0]{1}) -> (@t0[576*s0]{1}) ints [] floats []
alloc @t1 live [1, 16) bytes 192*s0
extern copy (@x[48*s0]{1}) -> (@t1[48*s0]{1}) ints [] floats []
alloc @t6 live [2, 31) bytes 576*s0
extern copy (@x[144*s0]{1}) -> (@t6[144*s0]{1}) ints [] floats []
alloc @t7 live [3, 32) bytes 576*s0
extern copy (@x[144*s0]{1}) -> (@t7[144*s0]{1}) ints [] floats []
alloc @t8 live [4, 9) bytes 192*s0
extern copy (@x[48*s0]{1}) -> (@t8[48*s0]{1}) ints [] floats []
alloc @t10 live [5, 13) bytes 14208*s0
extern copy (@x[3552*s0]{1}) -> (@t10[3552*s0]{1}) ints [] floats []
alloc @t14 live [6, 18) bytes 960*s0
extern copy (@x[240*s0]{1}) -> (@t14[240*s0]{1}) ints [] floats []
alloc @t15 live [7, 10) bytes 192*s0
extern copy (@x[48*s0]{1}) -> (@t15[48*s0]{1}) ints [] floats []
extern copy (@t8[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t8
extern copy (@t15[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t15
alloc @t9 live [10, 33) bytes 192*s0
extern copy (@x[48*s0]{1}) -> (@t9[48*s0]{1}) ints [] floats []
alloc @t16 live [11, 19) bytes 192*s0
extern copy (@x[48*s0]{1}) -> (@t16[48*s0]{1}) ints [] floats []
extern copy (@t10[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t10
alloc @t11 live [13, 25) bytes 10944*s0
extern copy (@x[2736*s0]{1}) -> (@t11[2736*s0]{1}) ints [] floats []
alloc @t13 live [14, 35) bytes 3264*s0
extern copy (@x[816*s0]{1}) -> (@t13[816*s0]{1}) ints [] floats []
extern copy (@t1[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t1
alloc @t2 live [16, 22) bytes 192*s0
extern copy (@x[48*s0]{1}) -> (@t2[48*s0]{1}) ints [] floats []
extern copy (@t14[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t14
extern copy (@t16[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t16
alloc @t17 live [19, 36) bytes 1152*s0
extern copy (@x[288*s0]{1}) -> (@t17[288*s0]{1}) ints [] floats []
extern copy (@t0[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t0
extern copy (@t2[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t2
alloc @t3 live [22, 29) bytes 1920*s0
extern copy (@x[480*s0]{1}) -> (@t3[480*s0]{1}) ints [] floats []
alloc @t4 live [23, 27) bytes 576*s0
extern copy (@x[144*s0]{1}) -> (@t4[144*s0]{1}) ints [] floats []
extern copy (@t11[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t11
alloc @t12 live [25, 34) bytes 10944*s0
extern copy (@x[2736*s0]{1}) -> (@t12[2736*s0]{1}) ints [] floats []
extern copy (@t4[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t4
alloc @t5 live [27, 30) bytes 576*s0
extern copy (@x[144*s0]{1}) -> (@t5[144*s0]{1}) ints [] floats []
extern copy (@t3[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t3
extern copy (@t5[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t5
extern copy (@t6[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t6
extern copy (@t7[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t7
extern copy (@t9[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t9
extern copy (@t12[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t12
extern copy (@t13[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t13
extern copy (@t17[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t17
output 0 @y[48*s0]{1}
--out--
plan stacks: arena 76800 bytes, bound 76800, 76800 in use at once (step 7), 18 buffers; for the sizes of the example
/* stacks, made by ferrite 0.1 from stacks.wrap.
static const uint32_t stacks_0[] = {
    .stack_count = 1,
    .stacks = stacks_0,
    .name = "stacks",
    stacks=[[10, 11, 12, 13, 0, 3, 4, 5, 1, 2, 14, 17, 8, 16, 6, 7, 9, 15]],
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
