# indices that cannot be outside are known to be in range, whatever the data: places of a sort, of a
# maximum; minima, remainders, constants; others are checked, under the guard of the load
--run-- ferrite inspect - --stage kern --isa x86-64-v3 | grep -E '^kernel|check|known'
--in--
symbols {
  s0 in [2, 1000] hint 64
}
graph main {
  placeholder %x user "x" : f32[8,s0]
  placeholder %t user "t" : f32[s0,4]
  placeholder %i user "i" : i64[8,s0]
  %order = aten.argsort.default(%x, 1) : i64[8,s0]
  %sorted = aten.gather.default(%x, 1, %order) : f32[8,s0]
  %most = aten.argmax.default(%x, 1) : i64[8]
  %best = aten.index_select.default(%t, 0, %most) : f32[8,4]
  %top = aten.topk.default(%x, 1) : (f32[8,1], i64[8,1])
  %first = _operator.getitem(%top, 1) : i64[8,1]
  %again = aten.gather.default(%x, 1, %first) : f32[8,1]
  %last = aten.sym_size.int(%t, 0) : int s0
  %near = _operator.sub(%last, 1) : int s0 - 1
  %clamp = aten.clamp.default(%i, 0, %near) : i64[8,s0]
  %clamped = aten.gather.default(%x, 1, %clamp) : f32[8,s0]
  %rem = aten.remainder.Scalar(%i, %last) : i64[8,s0]
  %wrapped = aten.gather.default(%x, 1, %rem) : f32[8,s0]
  %data = aten.gather.default(%x, 1, %i) : f32[8,s0]
  %padded = aten.constant_pad_nd.default(%data, [1, 0], 0.5) : f32[8,s0 + 1]
  output (user %sorted, user %best, user %again, user %clamped, user %wrapped, user %padded)
}
--out--
kernel k_argmax group 0 lanes 8 ints [s0]
    known v2 < p0
kernel k_max_min group 1 lanes 4 ints [s0, s0 - 1]
      known v7 < p0
kernel k_rem group 2 lanes 4 ints [s0]
      known v4 < p0
kernel k_below_not group 3 lanes 4 ints [s0]
      check 0 v3 < p0 if v2
kernel k_copy group 5 lanes 4 ints [s0]
      known v1 < p0
kernel k_copy group 7 lanes 4 ints [s0]
      known v1 < p0
--run-- ferrite inspect - --stage kern --isa x86-64-v4 | grep -E '^kernel|check|known|load'
--in--
graph main {
  placeholder %x user "x" : f32[2,3,9,7]
  placeholder %grid user "grid" : f32[2,5,4,2]
  %y = aten.grid_sampler.default(%x, %grid, 0, 0, False) : f32[2,3,5,4]
  output (user %y)
}
--out--
kernel k_add_mul_sub_floor group 0 lanes 16 ints [40, 189, 63, 60, 20]
      v2 : f32x16 = load pairs b0[p0*i0 + 2*i2 + 1]
      v18 : f32x16 = load pairs b0[p0*i0 + 2*i2]
      known v30 < 9 if v29
      known v31 < 7 if v29
      v36 : f32x16 = load lanes b1[p1*i0 + p2*i1 + v35] if v29
      known v30 < 9 if v45
      known v46 < 7 if v45
      v48 : f32x16 = load lanes b1[p1*i0 + p2*i1 + v47] if v45
      known v31 < 7 if v59
      known v60 < 9 if v59
      v63 : f32x16 = load lanes b1[p1*i0 + p2*i1 + v62] if v59
      known v46 < 7 if v66
      known v60 < 9 if v66
      v68 : f32x16 = load lanes b1[p1*i0 + p2*i1 + v67] if v66
