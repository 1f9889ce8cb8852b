# bias, what is added, bounds and other epilogues of a convolution by Winograd's algorithm are its own work, as those of any other are
--run-- ferrite inspect g.fx --from fx --stage wrap --isa x86-64-v4 | sed -n '/^extern/{s/ cost .*//;s/_[0-9a-f]\{6\} / /;p;}'
--file g.fx--
graph g {
  placeholder %x user "x" : f32[2,32,14,13]
  placeholder %w param "w" : f32[32,32,3,3]
  placeholder %b param "b" : f32[32]
  %p = aten.conv2d.default(%x, %w, %b, [1, 1], [1, 1])
  %r = aten.relu.default(%p)
  %q = aten.conv2d.default(%r, %w, %b, [1, 1], [1, 1])
  %s = aten.add.Tensor(%q, %r)
  %t = aten.relu.default(%s)
  %u = aten.conv2d.default(%t, %w, None, [1, 1], [1, 1])
  %v = aten.silu.default(%u)
  output (user %v)
}
--out--
extern winograd (@x[2,32,14,13]{5824,182,13,1}, @w[32,32,3,3]{288,9,3,1} packed 0, @b[32]{1}) -> (@buf4[2,32,14,13]{5824,1,416,32}) workspace @buf9 ints [4, 1, 1, 2] floats [0.0, inf]
extern winograd (@buf4[2,32,14,13]{5824,1,416,32}, @w[32,32,3,3]{288,9,3,1} packed 0, @b[32]{1}) -> (@buf5[2,32,14,13]{5824,1,416,32}) workspace @buf10 ints [4, 1, 1, 0] floats [0.0, 0.0] then k_add_max (@buf5, @buf4, @buf6) ints [32] m 364 n 32
extern winograd (@buf6[2,32,14,13]{5824,1,416,32}, @w[32,32,3,3]{288,9,3,1} packed 0, none) -> (@buf7[2,32,14,13]{5824,1,416,32}) workspace @buf11 ints [4, 1, 1, 0] floats [0.0, 0.0]
