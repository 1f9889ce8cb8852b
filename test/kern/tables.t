# a function by a table: its text is read back, and where the index is of another dtype it is refused
--run-- for isa in x86-64-v4 x86-64-v3; do ferrite inspect --from loop --stage legal --isa $isa erf.loop >$isa && ferrite inspect --from kern --stage legal $isa | cmp - $isa && sed -n '/^function erfvalue/,/^}/p' $isa; done; ferrite inspect --from loop --stage legal --isa baseline erf.loop | grep -c ' = table'; sed 's/: i32x8 = bitcast/: u32x8 = bitcast/' x86-64-v3 | ferrite inspect --from kern --stage legal - 2>&1 | sed 's/^.*error/error/'; sed '/ = table/s/, [^,]*]/]/' x86-64-v3 | ferrite inspect --from kern --stage legal - 2>&1 | grep error | sed 's/^.*error/error/'
--file erf.loop--
program erf
input  @x : f32[50] strides [1]
temp   @y : f32[50] strides [1]
nest [i0 < 50] {
  %0 = load f32 @x[i0]
  %1 = erf %0 : f32
  @y[i0] = %1
}
output @y[50]{1}
--out--
function erfvalue_f32x16 (v1 : f32x16) {
  v2 : i32x16 = bitcast v1
  v3 : f32x16 = table v2 [0.0, 0.543117166, 0.863846719, 0.974671304, 0.997159183, 0.999804616, 0.99999243, 0.999999821]
  return v3
}
function erfvalue_f32x8 (v1 : f32x8) {
  v2 : i32x8 = bitcast v1
  v3 : f32x8 = table v2 [0.0, 0.543117166, 0.863846719, 0.974671304, 0.997159183, 0.999804616, 0.99999243, 0.999999821]
  return v3
}
0
error: kern: law K2: an operand is u32, not i32
  at function erfmiddle_f32x8: v3 : f32x8 = table v2 [0.0, 0.526080012, 1.05377996, 1.58133996, 2.1103301, 2.63390994, 3.16571999, 3.69117999]
  help: this is a fault of ferrite's own: please report it with the program
error: kern: expected ',' (found ']')
--status-- 1
