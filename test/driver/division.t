# an integer divided by zero ends the run, as it ends eager's; where a divisor cannot be zero nothing looks
--run-- for t in '--target c' '--target process' '--isa scalar'; do ferrite run d.fx $t; done 2>&1 | grep -c 'error: run: aten.remainder.Tensor (%rest): an integer is divided by zero'; ferrite run d.fx --no-cc 2>&1 | grep error
--file d.fx--
graph main {
  %x = aten.arange.start_step(-9, 9, 2, dtype=i32) : i32[9]
  %ramp = aten.arange.start_step(-3, 6, 1, dtype=i32) : i32[9]
  %by = aten.clamp.default(%ramp, 1) : i32[9]
  %least = aten.floor_divide.default(%x, %by) : i32[9]
  %rest = aten.remainder.Tensor(%least, %ramp) : i32[9]
  output (user %rest)
}
--out--
3
error: run: an integer is divided by zero in
--status-- 1
--run-- ferrite inspect d.fx --stage loop | grep -e divisor -e ' = index' -e div -e fmod; ferrite inspect d.fx --stage loop >d.loop && ferrite inspect d.loop --from loop --stage loop | cmp - d.loop
--file d.fx--
graph main {
  placeholder %x user "x" : i64[9]
  placeholder %y user "y" : i16[9]
  %by = aten.clamp.default(%y, 1) : i16[9]
  %floor = aten.div.Tensor_mode(%x, %by, rounding_mode="floor") : i64[9]
  %whole = aten.div.Tensor_mode(%floor, 7, rounding_mode="trunc") : i64[9]
  %rest = aten.fmod.Tensor(%whole, %y) : i64[9]
  output (user %rest)
}
--out--
  %5 = floordiv %0, %4 : i64
  %7 = truncdiv %5, %6 : i64
  j0 = indirect %11 < 1 divisor origin 5
  %12 = index j0 : i64
  %14 = fmod %7, %13 : i64
