# sizes of 1 whose strides are not those of a contiguous tensor: kept next to a tensor without dimensions
--run-- ferrite inspect --stage fx --no-passes -
--in--
graph main {
  placeholder %a user "a" : f32[3,1,8]
  placeholder %h user "h" : f32[]
  placeholder %s user "s" : f32[s0,1,8]
  %x = aten.transpose.int(%a, 1, 2)
  %alone = aten.sin.default(%x)
  %both = aten.add.Tensor(%x, %x)
  %number = aten.add.Tensor(%x, 2)
  %tensor = aten.add.Tensor(%x, %h)
  %after = aten.maximum.default(%h, %x)
  %less = aten.lt.Tensor(%x, %h)
  %where = aten.where.ScalarOther(%less, %x, 2)
  %filled = aten.masked_fill.Scalar(%x, %less, 2)
  %signs = aten.copysign.Tensor(%x, %h)
  %y = aten.transpose.int(%s, 1, 2)
  %symbol = aten.add.Tensor(%y, %h)
  output (user %symbol)
}
--out--
symbols {
  s0 in [0, inf]
}
graph main {
  placeholder %a user "a" : f32[3,1,8]{8,8,1}@1
  placeholder %h user "h" : f32[]{}@2
  placeholder %s user "s" : f32[s0,1,8]{8,8,1}@3
  %x = aten.transpose.int(%a, 1, 2) : f32[3,8,1]{8,1,8}@1
  %alone = aten.sin.default(%x) : f32[3,8,1]{8,1,1}@4
  %both = aten.add.Tensor(%x, %x, 1) : f32[3,8,1]{8,1,1}@5
  %number = aten.add.Tensor(%x, 2, 1) : f32[3,8,1]{8,1,1}@6
  %tensor = aten.add.Tensor(%x, %h, 1) : f32[3,8,1]{8,1,8}@7
  %after = aten.maximum.default(%h, %x) : f32[3,8,1]{8,1,8}@8
  %less = aten.lt.Tensor(%x, %h) : bool[3,8,1]{8,1,8}@9
  %where = aten.where.ScalarOther(%less, %x, 2) : f32[3,8,1]{8,1,8}@10
  %filled = aten.masked_fill.Scalar(%x, %less, 2) : f32[3,8,1]{8,1,1}@11
  %signs = aten.copysign.Tensor(%x, %h) : f32[3,8,1]{8,1,1}@12
  %y = aten.transpose.int(%s, 1, 2) : f32[s0,8,1]{8,1,8}@3
  %symbol = aten.add.Tensor(%y, %h, 1) : f32[s0,8,1]{8,1,1}@13
  output (user %symbol)
}
