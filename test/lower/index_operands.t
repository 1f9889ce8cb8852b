# law L11: an index operand of a runtime operator has the dtype and the sizes of its signature
--run-- for kind in i32 f32 bool; do ferrite inspect segments.fx --stage loop | sed "s/^input  @l : i64/input  @l : $kind/" | ferrite inspect - --from loop --stage loop 2>&1 | grep -o 'law L.*'; done; ferrite inspect segments.fx --stage loop | sed '/^extern/s/@l\[1,3\]/@l[1,2]/' | ferrite inspect - --from loop --stage loop 2>&1 | grep -o 'law L.*'; ferrite inspect pivots.fx --stage loop | sed '/^input  @p/s/i32/i64/' | ferrite inspect - --from loop --stage loop 2>&1 | grep -o 'law L.*'; ferrite inspect pivots.fx --stage loop | sed '/^extern/s/@p\[2\]/@p[1]/' | ferrite inspect - --from loop --stage loop 2>&1 | grep -o 'law L.*'
--file segments.fx--
graph main {
  placeholder %a user "a" : f32[4,6]
  placeholder %l user "l" : i64[3]
  %v = aten.segment_reduce.default(%a, "sum", offsets=%l)
  output (user %v)
}
--file pivots.fx--
graph main {
  placeholder %a user "a" : f32[2,2]
  placeholder %p user "p" : i32[2]
  placeholder %b user "b" : f32[2,5]
  %v = aten.linalg_ldl_solve.default(%a, %p, %b)
  output (user %v)
}
--out--
law L11: segment: bounds is f32, not key in
law L11: segment: bounds is bool, not key in
law L11: segment: size 1 of bounds is 2, and s+1 is 3 in
law L11: ldl_solve: pivots is i64, not i32 in
law L11: ldl_solve: size 0 of pivots is 1, and n is 2 in
--status-- 1
