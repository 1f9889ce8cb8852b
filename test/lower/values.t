# quotients of whole numbers that prims.div makes are whole numbers; gelu of infinity is infinity, in vectors too, as eager has it but
# for its vectors of f32 and bf16, which give NaN; the sign of a complex number with a NaN is NaN in both parts
--run-- ferrite inspect - --stage loop | sed -n '/^nest/,/^}/p'
--in--
graph main {
  placeholder %a user "a" : i64[4]
  placeholder %b user "b" : i64[4]
  %d = prims.div.default(%a, %b)
  output (user %d)
}
--out--
nest [i0 < 4] origin 2 {
  %0 = load i64 @a[i0]
  %1 = load i64 @b[i0]
  %2 = const 0 : i64
  %3 = eq %1, %2 : bool
  %4 = cast %3 : i64
  j0 = indirect %4 < 1 divisor origin 2
  %5 = index j0 : i64
  %6 = add %1, %5 : i64
  %7 = truncdiv %0, %6 : i64
  @buf2[i0] = %7
}
--run-- for o in '' --no-cc '--isa scalar'; do ferrite run g.fx $o --output-dir out >log && for k in 0 1 2; do tail -c $((k ? 20 : 8)) out/$k.npy | od -An -tfF -w20 | sed 's,-*nan,nan,g' | tr -s ' '; done; done
--file g.fx--
graph main {
  %i = aten.arange.default(9, dtype=f32)
  %j = aten.sub.Scalar(%i, 6.0)
  %x = aten.div.Scalar(%j, 0.0)
  %z = aten.complex.default(%j, %x)
  %s = aten.sgn.default(%z)
  %g = aten.gelu.default(%x)
  %h = aten.gelu.default(%x, approximate="tanh")
  %p = aten.slice.Tensor(%s, 0, 6, 7)
  %r = aten.view_as_real.default(%p)
  output (user %r, user %g, user %h)
}
--out--
 nan nan
 nan nan nan inf inf
 nan nan nan inf inf
 nan nan
 nan nan nan inf inf
 nan nan nan inf inf
 nan nan
 nan nan nan inf inf
 nan nan nan inf inf
