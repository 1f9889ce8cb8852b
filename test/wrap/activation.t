# what is added to a product where that lies, and bounds of a product's results are the operator's own work (ints 2, floats low and high), without a kernel; anything more is an epilogue
--run-- sh each.sh <what
--file each.sh--
while IFS='|' read -r name body; do
  printf 'graph g {\n  placeholder %%a user "a" : f32[8,2]\n  placeholder %%w constant "w" : f32[3,2] data [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]\n' >g.fx
  printf '  placeholder %%x user "x" : f32[2,4,6,6]\n  placeholder %%k user "k" : f32[8,4,3,3]\n' >>g.fx
  printf '  placeholder %%t user "t" : f32[4,20,3,3]\n  placeholder %%o user "o" : f32[8,8,1,1]\n' >>g.fx
  printf '  placeholder %%r user "r" : f32[8,3]\n' >>g.fx
  echo "$body" | tr ';' '\n' | sed 's/^ */  /' >>g.fx
  echo '}' >>g.fx
  printf '%s:\n' "$name"
  ferrite inspect g.fx --from fx --stage wrap --isa x86-64-v4 | sed -n '/^extern/{s/(@[^)]*, @\(buf[0-9]*\)[^)]*) ->.*ints/plus \1 ints/;s/(.*ints/ints/;s/_[0-9a-f]\{6\} .*//;s/^/  /;p;}'
done
--file what--
relu|%p = aten.linear.default(%a, %w); %y = aten.relu.default(%p); output (user %y)
relu6|%p = aten.linear.default(%a, %w); %y = aten.hardtanh.default(%p, 0.0, 6.0); output (user %y)
from below|%p = aten.linear.default(%a, %w); %y = aten.clamp_min.default(%p, -1.5); output (user %y)
the wrong way round|%p = aten.linear.default(%a, %w); %y = aten.clamp.default(%p, 2.0, 1.0); output (user %y)
twice|%p = aten.linear.default(%a, %w); %q = aten.clamp_max.default(%p, 3.0); %y = aten.clamp_min.default(%q, 1.0); output (user %y)
apart|%p = aten.linear.default(%a, %w); %q = aten.clamp_min.default(%p, 3.0); %y = aten.clamp_max.default(%q, 1.0); output (user %y)
convolution|%p = aten.conv2d.default(%x, %k); %q = aten.relu.default(%p); %y = aten.conv2d.default(%q, %o); output (user %y)
transposed|%z = aten.conv_transpose2d.input(%x, %t, None, [2, 2]); %y = aten.relu.default(%z); output (user %y)
of a sum|%p = aten.linear.default(%a, %w); %s = aten.add.Tensor(%p, %r); %y = aten.relu.default(%s); output (user %y)
bounds of the run|%p = aten.linear.default(%a, %w); %y = aten.maximum.default(%p, %r); output (user %y)
both are wanted|%p = aten.linear.default(%a, %w); %y = aten.relu.default(%p); output (user %p, user %y)
sum with what dies|%s = aten.sigmoid.default(%r); %p = aten.linear.default(%a, %w); %y = aten.add.Tensor(%s, %p); output (user %y)
and a bound|%s = aten.sigmoid.default(%r); %p = aten.linear.default(%a, %w); %z = aten.add.Tensor(%p, %s); %y = aten.relu.default(%z); output (user %y)
that is used again|%s = aten.sigmoid.default(%r); %p = aten.linear.default(%a, %w); %y = aten.add.Tensor(%s, %p); %z = aten.sum.default(%s); output (user %y, user %z)
of more rows|%s = aten.sigmoid.default(%w); %p = aten.linear.default(%a, %w); %q = aten.linear.default(%a, %s); %y = aten.add.Tensor(%q, %p); output (user %y)
with what the call reads|%q = aten.silu.default(%x); %p = aten.conv2d.default(%q, %k, None, [1, 1], [1, 1]); %z = aten.silu.default(%p); %v = aten.conv2d.default(%z, %o); %n = aten.add.Tensor(%v, %z); %m = aten.conv2d.default(%n, %o); %y = aten.amax.default(%m); output (user %y)
with what another read|%q = aten.silu.default(%x); %p = aten.conv2d.default(%q, %k, None, [1, 1], [1, 1]); %z = aten.silu.default(%p); %v = aten.conv2d.default(%z, %o); %u = aten.conv2d.default(%v, %o); %n = aten.add.Tensor(%u, %z); %m = aten.conv2d.default(%n, %o); %y = aten.amax.default(%m); output (user %y)
something else|%p = aten.linear.default(%a, %w); %y = aten.abs.default(%p); output (user %y)
--out--
relu:
  extern gemm ints [2] floats [0.0, inf]
relu6:
  extern gemm ints [2] floats [0.0, 6.0]
from below:
  extern gemm ints [2] floats [-1.5, inf]
the wrong way round:
  extern gemm ints [2] floats [1.0, 1.0]
twice:
  extern gemm ints [2] floats [1.0, 3.0]
apart:
  extern gemm ints [2] floats [1.0, 1.0]
convolution:
  extern conv ints [2, 1, 0, 2, 1, 1, 0, 0, 1, 1, 0, 0] floats [0.0, inf] scratch @buf8 0 bytes 960
  extern conv ints [2, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0] floats [0.0, 0.0] scratch 2048 bytes 2560
transposed:
  extern conv ints [2, 1, 1, 0, 2, 2, 0, 0, 1, 1, 0, 0] floats [0.0, 0.0] scratch @buf7 0 bytes 26944
of a sum:
  extern gemm ints [] m 8 n 3 cost 77
bounds of the run:
  extern gemm ints [] m 8 n 3 cost 70
both are wanted:
  extern gemm ints [] m 8 n 3 cost 54
sum with what dies:
  extern gemm ints [] m 8 n 3 cost 207
and a bound:
  extern gemm ints [] m 8 n 3 cost 215
that is used again:
  extern gemm ints [0] floats [0.0, 0.0]
of more rows:
  extern gemm ints [0] floats [0.0, 0.0]
  extern gemm plus buf8 ints [0] floats [0.0, 0.0]
with what the call reads:
  extern conv ints [] m 72 n 8 cost 274
  extern conv ints [] m 72 n 8 cost 70
  extern conv ints [2, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0] floats [0.0, 0.0] scratch 5632 bytes 2432
with what another read:
  extern conv ints [] m 72 n 8 cost 274
  extern conv ints [2, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0] floats [0.0, 0.0] scratch 5632 bytes 2432
  extern conv plus buf8 ints [2, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0] floats [0.0, 0.0] scratch 5632 bytes 2432
  extern conv ints [2, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0] floats [0.0, 0.0] scratch 5632 bytes 2432
something else:
  extern gemm ints [] m 8 n 3 cost 54
