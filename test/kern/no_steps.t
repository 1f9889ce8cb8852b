# of a loop that is known to make no step nothing is left: what it loads may not be there
--run-- ferrite inspect - --stage kern --isa x86-64-v3
--in--
graph main {
  placeholder %w user "w" : f32[7,17]
  placeholder %i user "i" : i64[3,0]
  placeholder %x user "x" : f32[0,4]
  %rows = aten.embedding.default(%w, %i) : f32[3,0,17]
  %sum = aten.sum.dim_IntList(%rows, [1]) : f32[3,17]
  %most = aten.prod.dim_int(%x, 0) : f32[4]
  output (user %rows, user %sum, user %most)
}
--out--
kernel k_sum group 0 lanes 8 ints [17]
  buffer b0 : f32 out @buf4
  rows vector (i0 < 3, i1 < p0) unroll 2 {
    acc a0 : f32x8 sum copies 2
    loop r0 < 0 {
    }
    v1 : f32x8 = result a0
    store b0[p0*i0 + i1] : f32x8 = v1
  }
kernel k_prod group 1 lanes 8 ints []
  buffer b0 : f32 out @buf5
  rows vector (i0 < 4) {
    acc a0 : f32x8 prod
    loop r0 < 0 {
    }
    v1 : f32x8 = result a0
    store b0[i0] : f32x8 = v1
  }
