# indices broadcast and take the place of what they index; masks have sizes of the run
--run-- ferrite inspect --stage fx --no-passes -
--in--
graph main {
  placeholder %x user "x" : f32[4,5,6]
  placeholder %i user "i" : i64[3,1]
  placeholder %j user "j" : i64[2]
  placeholder %m user "m" : bool[4,5]
  placeholder %e param "e" : f32[10,7]
  %first = aten.index.Tensor(%x, [%i])
  %middle = aten.index.Tensor(%x, [None, %i, %j])
  %apart = aten.index.Tensor(%x, [%i, None, %j])
  %turned = aten.transpose.int(%x, 0, 2)
  %order = aten.index.Tensor(%turned, [%j])
  %masked = aten.index.Tensor(%x, [%m])
  %picked = aten.index_select.default(%x, 1, %j)
  %embedding = aten.embedding.default(%e, %i)
  %put = aten.index_put.default(%turned, [%j], %order)
  %nonzero = aten.nonzero.default(%m)
  %count = aten.sym_size.int(%nonzero, 0)
  %unique = aten._unique2.default(%j, True, True, True)
  output (user %x)
}
--out--
symbols {
  u0 unbacked in [0, inf]
  u1 unbacked in [0, inf]
  u2 unbacked in [0, inf]
}
graph main {
  placeholder %x user "x" : f32[4,5,6]{30,6,1}@1
  placeholder %i user "i" : i64[3,1]{1,1}@2
  placeholder %j user "j" : i64[2]{1}@3
  placeholder %m user "m" : bool[4,5]{5,1}@4
  placeholder %e param "e" : f32[10,7]{7,1}@5
  %first = aten.index.Tensor(%x, [%i]) : f32[3,1,5,6]{30,30,6,1}@6
  %middle = aten.index.Tensor(%x, [None, %i, %j]) : f32[4,3,2]{6,2,1}@7
  %apart = aten.index.Tensor(%x, [%i, None, %j]) : f32[3,2,5]{10,5,1}@8
  %turned = aten.transpose.int(%x, 0, 2) : f32[6,5,4]{1,6,30}@1
  %order = aten.index.Tensor(%turned, [%j]) : f32[2,5,4]{20,1,5}@9
  %masked = aten.index.Tensor(%x, [%m]) : f32[u0,6]{6,1}@10
  %picked = aten.index_select.default(%x, 1, %j) : f32[4,2,6]{12,6,1}@11
  %embedding = aten.embedding.default(%e, %i, -1, False, False) : f32[3,1,7]{7,7,1}@12
  %put = aten.index_put.default(%turned, [%j], %order, False) : f32[6,5,4]{1,6,30}@13
  %nonzero = aten.nonzero.default(%m) : i64[u1,2]{1,u1}@14
  %count = aten.sym_size.int(%nonzero, 0) : int u1
  %unique = aten._unique2.default(%j, True, True, True) : (i64[u2]{1}@15, i64[2]{1}@16, i64[u2]{1}@17)
  output (user %x)
}
--run-- ferrite inspect m.fx --stage fx
# sizes are recorded as what they are where the data has them so: the run is asked
--file m.fx--
symbols {
  u0 unbacked in [0, 4]
}
graph main {
  placeholder %x user "x" : bool[4]
  placeholder %y user "y" : i64[2,1]
  %n = aten.nonzero.default(%x) : i64[u0,1]
  %c = aten.cat.default([%y, %n]) : i64[2,1]
  output (user %c)
}
--out--
symbols {
  u0 unbacked in [0, 4]
}
graph main {
  functional
  require u0 + 2 == 2 "aten.cat.default: the size recorded for its result is 2, and is u0 + 2 here (c)"
  placeholder %x user "x" : bool[4]{1}@1
  placeholder %y user "y" : i64[2,1]{1,1}@2
  %n = aten.nonzero.default(%x) : i64[u0,1]{1,1}@3
  %c = aten.cat.default([%y, %n], 0) : i64[2,1]{1,1}@4
  output (user %c)
}
