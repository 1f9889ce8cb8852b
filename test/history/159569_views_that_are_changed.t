# 159569: a buffer that is changed through several views of it counts once, and lives until the last reader of any of them; a run
# may check that what is in use at each step is what was estimated
--run-- ferrite inspect views.fx --stage plan | sed 's/\(k_[a-z_]*\)_[0-9a-f]*/\1/g'; for o in '' '--split nodes=1' --no-cc --max-arena; do ferrite run views.fx $o --lifecycle-check --output-dir out >log && od -An -tf4 -w32 -j 128 out/0.npy; done | sort | uniq -c
--file views.fx--
graph main {
  %x = aten.arange.start(0, 8, dtype=f32) : f32[8]
  %b = aten.cumsum.default(%x, 0) : f32[8]
  %h = aten.slice.Tensor(%b, 0, 0, 4) : f32[4]
  %t = aten.slice.Tensor(%b, 0, 4, 8) : f32[4]
  %m = aten.exp_.default(%h) : f32[4]
  %n = aten.neg_.default(%t) : f32[4]
  %k = aten.add_.Tensor(%h, %n) : f32[4]
  %s = aten.cumsum.default(%b, 0) : f32[8]
  %r = aten.add.Tensor(%s, %b) : f32[8]
  output (user %r)
}
--out--
plan views: arena 64 bytes, bound 64, 32 in use at once (step 0), 1 buffers, order proven least
step 0 live 32 b, slice_scatter
step 1 live 32 slice_scatter_2, s, r
@buf1 live [0, 2) at 0 bytes 32 peak
      4              -18       -33.56344      -23.110645       728.66144       333.23264       313.23264       286.23264       251.23264
