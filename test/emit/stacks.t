# lives that the planner's quick orders do not place at the bound: the plan that search found goes along as a stack
--run-- ferrite inspect stacks.wrap --from wrap --stage plan | sed -n 1p; ferrite inspect stacks.wrap --from wrap --stage c | grep stack; ferrite inspect stacks.wrap --from wrap --stage python | grep stacks=
--file stacks.wrap--
program stacks
symbol s0 in [1, 64] hint 4
input  @x : f32[s0,4096] strides [4096,1]
temp   @t0 : f32[768*s0] strides [1]
temp   @t1 : f32[3744*s0] strides [1]
temp   @t2 : f32[480*s0] strides [1]
temp   @t3 : f32[2544*s0] strides [1]
temp   @t4 : f32[1488*s0] strides [1]
temp   @t5 : f32[912*s0] strides [1]
temp   @t6 : f32[144*s0] strides [1]
temp   @t7 : f32[576*s0] strides [1]
temp   @t8 : f32[432*s0] strides [1]
temp   @t9 : f32[1584*s0] strides [1]
temp   @t10 : f32[672*s0] strides [1]
temp   @t11 : f32[1488*s0] strides [1]
temp   @t12 : f32[816*s0] strides [1]
temp   @y : f32[48*s0] strides [1]
wrapper arena -1 bound -1 weights 0 kernels 0 calls 26
memory @y output 0
symbol s0 = size 0 0
alloc @t0 live [0, 11) bytes 3072*s0
extern copy (@x[768*s0]{1}) -> (@t0[768*s0]{1}) ints [] floats []
alloc @t3 live [1, 4) bytes 10176*s0
extern copy (@x[2544*s0]{1}) -> (@t3[2544*s0]{1}) ints [] floats []
alloc @t11 live [2, 8) bytes 5952*s0
extern copy (@x[1488*s0]{1}) -> (@t11[1488*s0]{1}) ints [] floats []
extern copy (@t3[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t3
alloc @t2 live [4, 17) bytes 1920*s0
extern copy (@x[480*s0]{1}) -> (@t2[480*s0]{1}) ints [] floats []
alloc @t4 live [5, 18) bytes 5952*s0
extern copy (@x[1488*s0]{1}) -> (@t4[1488*s0]{1}) ints [] floats []
alloc @t7 live [6, 12) bytes 2304*s0
extern copy (@x[576*s0]{1}) -> (@t7[576*s0]{1}) ints [] floats []
extern copy (@t11[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t11
alloc @t10 live [8, 21) bytes 2688*s0
extern copy (@x[672*s0]{1}) -> (@t10[672*s0]{1}) ints [] floats []
alloc @t12 live [9, 13) bytes 3264*s0
extern copy (@x[816*s0]{1}) -> (@t12[816*s0]{1}) ints [] floats []
extern copy (@t0[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t0
extern copy (@t7[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t7
extern copy (@t12[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t12
alloc @t6 live [13, 26) bytes 576*s0
extern copy (@x[144*s0]{1}) -> (@t6[144*s0]{1}) ints [] floats []
alloc @t8 live [14, 19) bytes 1728*s0
extern copy (@x[432*s0]{1}) -> (@t8[432*s0]{1}) ints [] floats []
alloc @t9 live [15, 20) bytes 6336*s0
extern copy (@x[1584*s0]{1}) -> (@t9[1584*s0]{1}) ints [] floats []
extern copy (@t2[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t2
extern copy (@t4[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t4
extern copy (@t8[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t8
extern copy (@t9[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t9
extern copy (@t10[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t10
alloc @t1 live [21, 24) bytes 14976*s0
extern copy (@x[3744*s0]{1}) -> (@t1[3744*s0]{1}) ints [] floats []
alloc @t5 live [22, 25) bytes 3648*s0
extern copy (@x[912*s0]{1}) -> (@t5[912*s0]{1}) ints [] floats []
extern copy (@t1[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t1
extern copy (@t5[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t5
extern copy (@t6[48*s0]{1}) -> (@y[48*s0]{1}) ints [] floats []
free @t6
output 0 @y[48*s0]{1}
--out--
plan stacks: arena 76800 bytes, bound 76800, 76800 in use at once (step 2), 13 buffers; for the sizes of the example
/* stacks, made by ferrite 0.1 from stacks.wrap.
static const uint32_t stacks_0[] = {1, 10, 11, 9, 12, 0, 3, 4, 2, 5, 7, 8, 6};
    .stack_count = 1,
    .stacks = stacks_0,
    .name = "stacks",
    stacks=[[1, 10, 11, 9, 12, 0, 3, 4, 2, 5, 7, 8, 6]],
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
