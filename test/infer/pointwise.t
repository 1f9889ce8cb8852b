# dtypes by promotion, sizes by broadcasting, strides by the order of the operands' strides
--run-- ferrite inspect --stage fx --no-passes -
--in--
graph main {
  placeholder %a user "a" : f32[2,3,4]
  placeholder %b user "b" : f32[2,4,3]
  placeholder %i user "i" : i64[4]
  placeholder %h user "h" : f16[]
  placeholder %img user "img" : f32[2,3,8,8]{192,1,24,3}
  placeholder %odd user "odd" : f32[2,1,3]{1,7,2}
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
  %where = aten.where.ScalarOther(%less, %a, 0)
  %filled = aten.masked_fill.Scalar(%turned, %less, 1)
  %relu = aten.relu.default(%img)
  %shifted = aten.add.Tensor(%relu, %img)
  %anew = aten.neg.default(%odd)
  %kept = aten.clone.default(%odd)
  %signs = aten.copysign.Tensor(%turned, %h)
  %angle = aten.angle.default(%i)
  %complex = aten.complex.default(%a, %a)
  %abs = aten.abs.default(%complex)
  output (user %less)
}
--out--
graph main {
  placeholder %a user "a" : f32[2,3,4]{12,4,1}@1
  placeholder %b user "b" : f32[2,4,3]{12,3,1}@2
  placeholder %i user "i" : i64[4]{1}@3
  placeholder %h user "h" : f16[]{}@4
  placeholder %img user "img" : f32[2,3,8,8]{192,1,24,3}@5
  placeholder %odd user "odd" : f32[2,1,3]{1,7,2}@6
  %turned = aten.transpose.int(%b, 1, 2) : f32[2,3,4]{12,1,3}@2
  %add = aten.add.Tensor(%turned, %turned, 1) : f32[2,3,4]{12,1,3}@7
  %mixed = aten.add.Tensor(%a, %turned, 1) : f32[2,3,4]{12,4,1}@8
  %scaled = aten.mul.Tensor(%i, 2.5) : f32[4]{1}@9
  %whole = aten.mul.Tensor(%i, 2) : i64[4]{1}@10
  %half = aten.mul.Tensor(%i, %h) : f16[4]{1}@11
  %quotient = aten.div.Tensor(%i, 2) : f32[4]{1}@12
  %floor = aten.div.Tensor_mode(%i, 2, "floor") : i64[4]{1}@13
  %sin = aten.sin.default(%i) : f32[4]{1}@14
  %less = aten.lt.Tensor(%a, %i) : bool[2,3,4]{12,4,1}@15
  %where = aten.where.ScalarOther(%less, %a, 0) : f32[2,3,4]{12,4,1}@16
  %filled = aten.masked_fill.Scalar(%turned, %less, 1) : f32[2,3,4]{12,4,1}@17
  %relu = aten.relu.default(%img) : f32[2,3,8,8]{192,1,24,3}@18
  %shifted = aten.add.Tensor(%relu, %img, 1) : f32[2,3,8,8]{192,1,24,3}@19
  %anew = aten.neg.default(%odd) : f32[2,1,3]{1,6,2}@20
  %kept = aten.clone.default(%odd, None) : f32[2,1,3]{1,7,2}@21
  %signs = aten.copysign.Tensor(%turned, %h) : f32[2,3,4]{12,4,1}@22
  %angle = aten.angle.default(%i) : f32[4]{1}@23
  %complex = aten.complex.default(%a, %a) : c64[2,3,4]{12,4,1}@24
  %abs = aten.abs.default(%complex) : f32[2,3,4]{12,4,1}@25
  output (user %less)
}
--run-- ferrite inspect --stage fx --no-passes -
--in--
symbols {
  s0 in [2, 9] hint 3
}
graph operands_in_one_format {
  placeholder %x user "x" : f32[s0,1,6]{6,6*s0,1}
  placeholder %y user "y" : f32[3,1,6]{6,18,1}
  placeholder %z user "z" : f32[3,2,6]{6,18,1}
  %mean = aten.mean.dim(%x, [-1], True, None)
  %sub = aten.sub.Tensor(%x, %mean, 1)
  %less = aten.lt.Tensor(%x, %mean)
  %normal = aten.layer_norm.default(%x, [6], None, None, 1e-05, False)
  %mean_1 = aten.mean.dim(%y, [-1], True, None)
  %sub_1 = aten.sub.Tensor(%y, %mean_1, 1)
  %normal_1 = aten.layer_norm.default(%y, [6], None, None, 1e-05, False)
  %normal_2 = aten.native_layer_norm.default(%z, [2, 6], None, None, 1e-05)
  output (user %sub, user %less, user %normal, user %sub_1, user %normal_1)
}
--out--
symbols {
  s0 in [2, 9] hint 3
}
graph operands_in_one_format {
  placeholder %x user "x" : f32[s0,1,6]{6,6*s0,1}@1
  placeholder %y user "y" : f32[3,1,6]{6,18,1}@2
  placeholder %z user "z" : f32[3,2,6]{6,18,1}@3
  %mean = aten.mean.dim(%x, [-1], True, None) : f32[s0,1,1]{1,1,1}@4
  %sub = aten.sub.Tensor(%x, %mean, 1) : f32[s0,1,6]{6,6,1}@5
  %less = aten.lt.Tensor(%x, %mean) : bool[s0,1,6]{6,6*s0,1}@6
  %normal = aten.layer_norm.default(%x, [6], None, None, 1e-05, False) : f32[s0,1,6]{6,6,1}@7
  %mean_1 = aten.mean.dim(%y, [-1], True, None) : f32[3,1,1]{1,1,1}@8
  %sub_1 = aten.sub.Tensor(%y, %mean_1, 1) : f32[3,1,6]{6,18,1}@9
  %normal_1 = aten.layer_norm.default(%y, [6], None, None, 1e-05, False) : f32[3,1,6]{6,18,1}@10
  %normal_2 = aten.native_layer_norm.default(%z, [2, 6], None, None, 1e-05) : (f32[3,2,6]{12,6,1}@11, f32[3,1,1]{1,1,1}@12, f32[3,1,1]{1,1,1}@13)
  output (user %sub, user %less, user %normal, user %sub_1, user %normal_1)
}
--run-- ferrite inspect --stage fx --no-passes - | sed -n '/aten/p'
--in--
graph sizes_of_1_and_operands_of_lower_rank {
  placeholder %x user "x" : f32[1,s0]{1,1}
  placeholder %row user "row" : f32[s0]
  placeholder %y user "y" : f32[4,s1,s0]{s0*s1,1,s1}
  placeholder %column user "column" : f32[s1,1]
  placeholder %z user "z" : f32[1,s0,s0]{1,1,s0}
  placeholder %t user "t" : f32[s0,s0]
  placeholder %on user "on" : bool[3]
  %atan = aten.atan2.default(%x, %row)
  %sub = aten.sub.Tensor(%t, %z, 1)
  %back = aten.rsub.Tensor(%z, %t, 1)
  %signs = aten.copysign.Tensor(%y, %column)
  %floor = aten.div.Tensor_mode(%x, %row, rounding_mode="floor")
  %step = aten.heaviside.default(%y, %column)
  %power = aten.pow.Tensor_Scalar(%on, True)
  %of = aten.pow.Scalar(True, %on)
  output (user %atan, user %sub, user %back, user %signs, user %floor, user %step, user %power, user %of)
}
--out--
  %atan = aten.atan2.default(%x, %row) : f32[1,s0]{max(s0, 1),1}@8
  %sub = aten.sub.Tensor(%t, %z, 1) : f32[1,s0,s0]{max(s0, 1)*max(s0, 1),max(s0, 1),1}@9
  %back = aten.rsub.Tensor(%z, %t, 1) : f32[1,s0,s0]{max(s0, 1)*max(s0, 1),max(s0, 1),1}@10
  %signs = aten.copysign.Tensor(%y, %column) : f32[4,s1,s0]{max(s0, 1)*max(s1, 1),max(s0, 1),1}@11
  %floor = aten.div.Tensor_mode(%x, %row, "floor") : f32[1,s0]{max(s0, 1),1}@12
  %step = aten.heaviside.default(%y, %column) : f32[4,s1,s0]{s0*s1,1,s1}@13
  %power = aten.pow.Tensor_Scalar(%on, True) : i64[3]{1}@14
  %of = aten.pow.Scalar(True, %on) : i64[3]{1}@15
--run-- ferrite inspect --stage fx --no-passes - | sed -n '/aten/p'
--in--
# losses that work in the dtype of one operand: with logits it is the target's, a hinge has its own, integers too
graph main {
  placeholder %half user "half" : f16[4]
  placeholder %whole user "whole" : i8[4]
  placeholder %y user "y" : f32[4]
  %logits = aten.binary_cross_entropy_with_logits.default(%half, %y, None, None, 0)
  %narrow = aten.binary_cross_entropy_with_logits.default(%y, %half)
  %hinge = aten.hinge_embedding_loss.default(%half, %y, 1.0, 0)
  %apart = aten.hinge_embedding_loss.default(%whole, %y, 1.7, 0)
  %sum = aten.hinge_embedding_loss.default(%whole, %y, 1.7, 2)
  output (user %logits, user %narrow, user %hinge, user %apart, user %sum)
}
--out--
  %logits = aten.binary_cross_entropy_with_logits.default(%half, %y, None, None, 0) : f32[4]{1}@4
  %narrow = aten.binary_cross_entropy_with_logits.default(%y, %half, None, None, 1) : f16[]{}@5
  %hinge = aten.hinge_embedding_loss.default(%half, %y, 1.0, 0) : f16[4]{1}@6
  %apart = aten.hinge_embedding_loss.default(%whole, %y, 1.7, 0) : i8[4]{1}@7
  %sum = aten.hinge_embedding_loss.default(%whole, %y, 1.7, 2) : i64[]{}@8
