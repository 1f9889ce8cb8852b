# a call with several results goes with its items, and what stands behind them is decomposed too
--run-- ferrite inspect --stage fx -
--in--
graph main {
  placeholder %x user "x" : f32[3,3]
  %slogdet = aten.slogdet.default(%x) : (f32[], f32[])
  %sign = _operator.getitem(%slogdet, 0) : f32[]
  %log = _operator.getitem(%slogdet, 1) : f32[]
  %det = aten.det.default(%x) : f32[]
  %inverse = aten.inverse.default(%x) : f32[3,3]{1,3}
  output (user %sign, user %log, user %det, user %inverse)
}
--out--
graph main {
  functional
  placeholder %x user "x" : f32[3,3]{3,1}@1
  %linalg_slogdet = aten.linalg_slogdet.default(%x) : (f32[]{}@10, f32[]{}@11)
  %getitem = _operator.getitem(%linalg_slogdet, 0) : f32[]{}@10
  %getitem_1 = _operator.getitem(%linalg_slogdet, 1) : f32[]{}@11
  %linalg_det = aten.linalg_det.default(%x) : f32[]{}@12
  %linalg_inv = aten.linalg_inv.default(%x) : f32[3,3]{1,3}@13
  output (user %getitem, user %getitem_1, user %linalg_det, user %linalg_inv)
}
