# a concatenation that begins with the operands of an earlier one begins with that one
--run-- ferrite inspect - --dump-after nest_cat --verify | sed -n '/cat/p'
--in--
graph dense {
  placeholder %a user "a" : f32[2,3]
  placeholder %b user "b" : f32[2,4]
  placeholder %c user "c" : f32[2,5]
  placeholder %d user "d" : f64[2,5]
  %ab = aten.cat.default([%a, %b], 1)
  %abc = aten.cat.default([%a, %b, %c], -1)
  %abca = aten.cat.default([%a, %b, %c, %a], 1)
  %ac = aten.cat.default([%a, %c], 1)
  %abd = aten.cat.default([%a, %b, %d], 1)
  output (user %ab, user %abc, user %abca, user %ac, user %abd)
}
--out--
# after nest_cat
  %ab = aten.cat.default([%a, %b], 1) : f32[2,7]{7,1}@5
  %abc = aten.cat.default([%ab, %c], -1) : f32[2,12]{12,1}@6
  %abca = aten.cat.default([%abc, %a], 1) : f32[2,15]{15,1}@7
  %ac = aten.cat.default([%a, %c], 1) : f32[2,8]{8,1}@8
  %abd = aten.cat.default([%a, %b, %d], 1) : f64[2,12]{12,1}@9
