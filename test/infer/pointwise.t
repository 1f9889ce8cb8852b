# dtypes by promotion, sizes by broadcasting, strides by the operands' order
--run-- ferrite inspect --stage fx --no-passes -
--in--
graph main {
  placeholder %a user "a" : f32[2,3,4]
  placeholder %b user "b" : f32[2,4,3]{12,1,4}
  placeholder %i user "i" : i64[4]
  placeholder %h user "h" : f16[]
  placeholder %img user "img" : f32[2,3,8,8]{192,1,24,3}
  %turned = aten.transpose.int(%b, 1, 2)
  %add = aten.add.Tensor(%turned, %turned)
  %mixed = aten.add.Tensor(%a, %turned)
  %scaled = aten.mul.Tensor(%i, 2.5)
  %whole = aten.mul.Tensor(%i, 2)
  %half = aten.mul.Tensor(%i, %h)
  %quotient = aten.div.Tensor(%i, 2)
  %floor = aten.div.Tensor_mode(%i, 2, rounding_mode="floor")
  %sin = aten.sin.default(%i)
  %less = aten.lt.Tensor(%a, %i)
  %where = aten.where.self(%less, %a, 0)
  %filled = aten.masked_fill.Scalar(%b, %less, 1)
  %relu = aten.relu.default(%img)
  %shifted = aten.add.Tensor(%relu, %img)
  %wide = aten.convert_element_type.default(%img, torch.float64)
  output (user %less)
}
--out--
