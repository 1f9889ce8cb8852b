# lanes of a byte become lanes of 32 bits first, whatever they become then, and are made of those
--run-- ferrite inspect --from loop --stage c --isa x86-64-v3 - | grep '^      .*v[0-9]* = .*\(8\|vector\)'
--in--
program narrow
input  @x : u8[100] strides [1]
input  @y : i16[100] strides [1]
temp   @a : f32[100] strides [1]
temp   @b : i8[100] strides [1]
nest [i0 < 100] {
  %0 = load u8 @x[i0]
  %1 = cast %0 : f32
  @a[i0] = %1
}
nest [i0 < 100] {
  %0 = load i16 @y[i0]
  %1 = cast %0 : f32
  %2 = cast %1 : i8
  @b[i0] = %2
}
output @a[100]{1}
output @b[100]{1}
--out--
        u8x8 v1 = load_u8x8(b0 + i0, v3);
        f32x8 v2 = __builtin_convertvector(fromu8_i32x8(v1), f32x8);
        u8x8 v1 = load_u8x8(b0 + i0, v3);
        f32x8 v2 = __builtin_convertvector(fromu8_i32x8(v1), f32x8);
        i16x8 v1 = load_i16x8(b0 + i0, v4);
        f32x8 v2 = __builtin_convertvector(__builtin_convertvector(v1, i32x8), f32x8);
        i8x8 v3 = toi8_i32x8(__builtin_convertvector(v2, i32x8));
        i16x8 v1 = load_i16x8(b0 + i0, v4);
        f32x8 v2 = __builtin_convertvector(__builtin_convertvector(v1, i32x8), f32x8);
        i8x8 v3 = toi8_i32x8(__builtin_convertvector(v2, i32x8));
