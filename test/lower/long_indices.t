# views of views that divide what was divided before: what has a long index is copied, and those behind it begin anew
--run-- ferrite inspect v.fx --stage loop | awk '/^nest/ {nests++} length > 2500 {long++} END {print ((nests > 1) ? "copied" : "one nest") ", " long + 0 " long lines"}'
--file v.fx--
graph main {
  placeholder %x user "x" : f32[6,35]
  %a = aten.flip.default(%x, [0]) : f32[6,35]
  %b = aten.view.default(%a, [14,15]) : f32[14,15]
  %c = aten.flip.default(%b, [1]) : f32[14,15]
  %d = aten.view.default(%c, [10,21]) : f32[10,21]
  %e = aten.flip.default(%d, [1]) : f32[10,21]
  %f = aten.view.default(%e, [6,35]) : f32[6,35]
  %g = aten.flip.default(%f, [1]) : f32[6,35]
  %h = aten.view.default(%g, [14,15]) : f32[14,15]
  %i = aten.flip.default(%h, [1]) : f32[14,15]
  %j = aten.view.default(%i, [10,21]) : f32[10,21]
  %k = aten.flip.default(%j, [0]) : f32[10,21]
  %l = aten.view.default(%k, [6,35]) : f32[6,35]
  %m = aten.flip.default(%l, [1]) : f32[6,35]
  %n = aten.view.default(%m, [14,15]) : f32[14,15]
  %o = aten.flip.default(%n, [1]) : f32[14,15]
  %p = aten.view.default(%o, [35,6]) : f32[35,6]
  output (user %p)
}
--out--
copied, 0 long lines
--status-- 0
