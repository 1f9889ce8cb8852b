# one kernel each: layer norm, softmax, a matrix product with what follows it, sums of columns, a chain through a reshape
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^schedule/,$p'
--in--
program layer_norm
input  @x : f32[128,768] strides [768,1]
const  @w : f32[768] strides [1]
temp   @total : f32[128] strides [1]
temp   @square : f32[128] strides [1]
temp   @y : f32[128,768] strides [768,1]
nest [i0 < 128] reduce [r0 < 768] {
  %0 = load f32 @x[768*i0 + r0]
  @total[i0] = sum %0
}
nest [i0 < 128] reduce [r0 < 768] {
  %0 = load f32 @x[768*i0 + r0]
  %1 = load f32 @total[i0]
  %2 = const 768.0 : f32
  %3 = div %1, %2 : f32
  %4 = sub %0, %3 : f32
  %5 = mul %4, %4 : f32
  @square[i0] = sum %5
}
nest [i0 < 128, i1 < 768] {
  %0 = load f32 @x[768*i0 + i1]
  %1 = load f32 @total[i0]
  %2 = const 768.0 : f32
  %3 = div %1, %2 : f32
  %4 = sub %0, %3 : f32
  %5 = load f32 @square[i0]
  %6 = rsqrt %5 : f32
  %7 = mul %4, %6 : f32
  %8 = load f32 @w[i1]
  %9 = mul %7, %8 : f32
  @y[768*i0 + i1] = %9
}
output @y[128,768]{768,1}
--out--
schedule
group 0 kernel outer [i0 < 128] vector inner
  phase reduce [r0 < 768] { op 0 }
  phase reduce [r0 < 768] { op 1 }
  phase inner [i1 < 768] { op 2 }
  local @total @square
live @y [0, 2) output
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^schedule/,$p'
--in--
program softmax
input  @x : f32[64,100] strides [100,1]
temp   @most : f32[64] strides [1]
temp   @e : f32[64,100] strides [100,1]
temp   @total : f32[64] strides [1]
temp   @y : f32[64,100] strides [100,1]
nest [i0 < 64] reduce [r0 < 100] {
  %0 = load f32 @x[100*i0 + r0]
  @most[i0] = max_of %0
}
nest [i0 < 64, i1 < 100] {
  %0 = load f32 @x[100*i0 + i1]
  %1 = load f32 @most[i0]
  %2 = sub %0, %1 : f32
  %3 = exp %2 : f32
  @e[100*i0 + i1] = %3
}
nest [i0 < 64] reduce [r0 < 100] {
  %0 = load f32 @e[100*i0 + r0]
  @total[i0] = sum %0
}
nest [i0 < 64, i1 < 100] {
  %0 = load f32 @e[100*i0 + i1]
  %1 = load f32 @total[i0]
  %2 = div %0, %1 : f32
  @y[100*i0 + i1] = %2
}
output @y[64,100]{100,1}
--out--
schedule
group 0 kernel outer [i0 < 64] vector inner
  phase reduce [r0 < 100] { op 0 }
  phase reduce [r0 < 100] {
    op 1 nest [i0 < 64] reduce [r0 < 100] {
      %0 = load f32 @x[100*i0 + r0]
      %1 = load f32 @most[i0]
      %2 = sub %0, %1 : f32
      %3 = exp %2 : f32
      @e[100*i0 + r0] = %3
    }
    op 2
  }
  phase inner [i1 < 100] { op 3 }
  local @most @e @total
live @y [0, 2) output
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^schedule/,$p'
--in--
program gemm_gelu_residual
input  @x : f32[8,32] strides [32,1]
input  @r : f32[8,64] strides [64,1]
const  @w : f32[64,32] strides [32,1]
const  @b : f32[64] strides [1]
temp   @product : f32[8,64] strides [64,1]
temp   @gelu : f32[8,64] strides [64,1]
temp   @y : f32[8,64] strides [64,1]
extern gemm (@x[8,32]{32,1}, @w[32,64]{1,32}, @b[64]{1}) -> (@product[8,64]{64,1}) ints [0] floats [0.0,0.0]
nest [i0 < 8, i1 < 64] {
  %0 = load f32 @product[64*i0 + i1]
  %1 = erf %0 : f32
  %2 = mul %0, %1 : f32
  @gelu[64*i0 + i1] = %2
}
nest [i0 < 8, i1 < 64] {
  %0 = load f32 @gelu[64*i0 + i1]
  %1 = load f32 @r[64*i0 + i1]
  %2 = add %0, %1 : f32
  @y[64*i0 + i1] = %2
}
output @y[8,64]{64,1}
--out--
schedule
group 0 extern op 0 gemm epilogue outer [i0 < 8] vector inner
  phase inner [i1 < 64] { op 1 op 2 }
  local @gelu
  in_place @product -> @y
live @product [0, 1) in @y output
live @y [0, 2) output
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^schedule/,$p'
--in--
program mean_of_columns
input  @x : f32[64,100] strides [100,1]
temp   @total : f32[100] strides [1]
temp   @y : f32[100] strides [1]
nest [i0 < 100] reduce [r0 < 64] {
  %0 = load f32 @x[i0 + 100*r0]
  @total[i0] = sum %0
}
nest [i0 < 100] {
  %0 = load f32 @total[i0]
  %1 = exp %0 : f32
  @y[i0] = %1
}
output @y[100]{1}
--out--
schedule
group 0 kernel outer [i0 < 100] vector outer
  phase reduce [r0 < 64] { op 0 }
  phase { op 1 }
  local @total
live @y [0, 2) output
--run-- ferrite inspect - --from loop --stage sched | sed -n '/^schedule/,$p'
--in--
program reshaped_chain
input  @x : f32[2,3,20] strides [60,20,1]
temp   @a : f32[2,3,20] strides [60,20,1]
temp   @y : f32[6,20] strides [20,1]
nest [i0 < 2, i1 < 3, i2 < 20] {
  %0 = load f32 @x[60*i0 + 20*i1 + i2]
  %1 = exp %0 : f32
  @a[60*i0 + 20*i1 + i2] = %1
}
nest [i0 < 6, i1 < 20] {
  %0 = load f32 @a[20*i0 + i1]
  %1 = sin %0 : f32
  @y[20*i0 + i1] = %1
}
output @y[6,20]{20,1}
--out--
schedule
group 0 kernel outer [] vector inner
  phase inner [i0 < 120] {
    op 0 nest [i0 < 120] {
      %0 = load f32 @x[i0]
      %1 = exp %0 : f32
      @a[i0] = %1
    }
    op 1 nest [i0 < 120] {
      %0 = load f32 @a[i0]
      %1 = sin %0 : f32
      @y[i0] = %1
    }
  }
  local @a
live @y [0, 2) output
