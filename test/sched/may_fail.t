# what outlives a call is not changed by a kernel in which an index may turn out to be out of range: the
# state gets the sum when all of it is there; where the index cannot be out of range it is one kernel
--run-- ferrite inspect - --stage sched | sed -n '/^schedule/,$p'
--in--
graph main {
  placeholder %s buffer "s" : f32[64,4]
  placeholder %t user "t" : f32[5,4]
  placeholder %i user "i" : i64[64]
  %g = aten.index_select.default(%t, 0, %i) : f32[64,4]
  %a = aten.add_.Tensor(%s, %g) : f32[64,4]
  output (user %g)
}
--out--
schedule
group 0 kernel outer [i0 < 64] vector inner
  phase inner [i1 < 4] { op 0 }
group 1 kernel outer [] vector inner
  phase inner [i0 < 256] {
    op 1 nest [i0 < 256] origin 5 {
      %0 = load f32 @s[i0]
      %1 = load f32 @buf3[i0]
      %2 = add %0, %1 : f32
      @s[i0] = %2
    }
  }
refuse 0 1 may-fail
live @buf3 [0, 3) output
--run-- ferrite inspect - --stage sched | sed -n '/^schedule/,$p'
--in--
graph main {
  placeholder %s buffer "s" : f32[64,4]
  placeholder %t user "t" : f32[5,4]
  placeholder %i user "i" : i64[64]
  %c = aten.clamp.default(%i, 0, 4) : i64[64]
  %g = aten.index_select.default(%t, 0, %c) : f32[64,4]
  %a = aten.add_.Tensor(%s, %g) : f32[64,4]
  output ()
}
--out--
schedule
group 0 kernel outer [i0 < 64] vector inner
  phase inner [i1 < 4] { op 0 }
