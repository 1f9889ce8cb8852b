# quotients of whole numbers that prims.div makes are whole numbers
--run-- ferrite inspect - --stage loop | sed -n '/^nest/,/^}/p'
--in--
graph main {
  placeholder %a user "a" : i64[4]
  placeholder %b user "b" : i64[4]
  %d = prims.div.default(%a, %b)
  output (user %d)
}
--out--
nest [i0 < 4] origin 2 {
  %0 = load i64 @a[i0]
  %1 = load i64 @b[i0]
  %2 = const 0 : i64
  %3 = eq %1, %2 : bool
  %4 = cast %3 : i64
  j0 = indirect %4 < 1 divisor origin 2
  %5 = index j0 : i64
  %6 = add %1, %5 : i64
  %7 = truncdiv %0, %6 : i64
  @buf2[i0] = %7
}
