# rows that half of a vector's lanes hold are gathered by half of them: those that are off cost as much
--run-- for n in 7 8 9 40; do sed s/WIDTH/$n/ g.text | ferrite inspect - --stage legal --isa x86-64-v4 | grep gather; done; sed s/WIDTH/40/ g.text | ferrite inspect - --stage legal --isa x86-64-v3 | grep gather
--file g.text--
graph main {
  placeholder %p user "p" : f32[2,5,9,30]
  placeholder %g user "g" : f32[2,1,WIDTH,2]
  %v = aten.grid_sampler_2d.default(%p, %g, 1, 0, False)
  output (user %v)
}
--out--
      v9 : f32x8 = load gather b1[p0*i1 + p1*i0][v2] first v13 if v8
      v9 : f32x8 = load gather b1[p0*i1 + p1*i0][v2] first v13 if v8
      v9 : f32x16 = load gather b1[p0*i1 + p1*i0][v2] first v13 if v8
      v9 : f32x16 = load gather b1[p1*i1 + p2*i0][v2] first v13 if v8
      v9 : f32x8 = load gather b1[p1*i1 + p2*i0][v2] first v13 if v8
