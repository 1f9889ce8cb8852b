# what is joined has to be equally large, which the run is asked where sizes are symbols; with that the verifier knows sizes by another name
--run-- ferrite inspect joins.fx --stage fx | grep -e require -e ' = '; ferrite inspect equal.loop --from loop --stage loop | tail -1; sed 's/== s0 \/\/ 2/<= s0/' equal.loop | ferrite inspect - --from loop --stage loop 2>&1 | sed -n 1p
--file joins.fx--
symbols { s0 in [2, inf] hint 5 s1 in [2, inf] hint 5 s2 in [2, inf] hint 5 s3 in [2, inf] hint 5 }
graph main {
  placeholder %a user "a" : f32[s0,s1]
  placeholder %b user "b" : f32[s2,s3]
  %cat = aten.cat.default([%a, %b], 1)
  %stack = aten.stack.default([%a, %b], 1)
  output (user %cat, user %stack)
}
--file equal.loop--
program equal
symbol s0 in [2, ]
symbol s1 in [1, ]
symbol s2 in [1, ]
input  @x : f32[s0,s1,s1] strides [s1*s1,s1,1]
input  @y : f32[s2] strides [1]
temp   @joined : f32[s1*s1*s2] strides [1]
assert s1 == s0 // 2 "halves"
nest [i0 < s2, i1 < s0 // 2, i2 < s0 // 2] {
  %0 = load f32 @y[i0]
  @joined[s1*s1*i0 + s1*i1 + i2] = %0
}
output @joined[s1*s1*s2]{1}
--out--
  require s2 == s0 "aten.cat.default: f32[s0,s1] and f32[s2,s3] cannot be joined in dimension 1 (cat)"
  require s3 == s1 "aten.stack.default: stack of f32[s0,s1] and f32[s2,s3] (stack)"
  %cat = aten.cat.default([%a, %b], 1) : f32[s0,s1 + s3]{s1 + s3,1}@3
  %stack = aten.stack.default([%a, %b], 1) : f32[s0,2,s1]{2*s1,s1,1}@4
output @joined[s1*s1*s2]{1}
error: loop: law L1: a store of @joined[s1*s1*i0 + s1*i1 + i2], between 0 and anything, is not known to be in [0, s1*s1*s2) in
--status-- 1
