# halves of eight lanes are opened and made by the processor's own instruction, beside AVX too
--run-- ferrite inspect --from loop --stage c --isa x86-64-v3 - | grep -A2 '__F16C__'
--in--
program half
input  @x : f16[100] strides [1]
temp   @y : f16[100] strides [1]
nest [i0 < 100] {
  %0 = load f16 @x[i0]
  %1 = cast %0 : f32
  %2 = add %1, %1 : f32
  %3 = cast %2 : f16
  @y[i0] = %3
}
output @y[100]{1}
--out--
#if defined __F16C__ && !defined __clang__
FE f32x8 fromhalf_f32x8(type_u16x8 x) { return __builtin_ia32_vcvtph2ps256((type_i16x8)x); }
#else
--
#if defined __F16C__ && !defined __clang__
FE type_u16x8 tohalf_f32x8(f32x8 x) { return (type_u16x8)__builtin_ia32_vcvtps2ph256(x, 0); }
#else
