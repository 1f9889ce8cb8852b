# what a custom operator changes is changed where it lies; a copy stays where the old value is read later, or is the caller's, and one copy serves arguments that share memory
--run-- cc -shared -fPIC -I$ROOT/include $ROOT/test/custom_ops/bag.c -o libbag.so; for n in none input old several view twice; do echo "$n: $(ferrite inspect $n.fx --ops libbag.so --stage wrap | sed -n '/^note/,$p' | grep -c '^kernel k_copy') copies"; ferrite inspect $n.fx --ops libbag.so --stage wrap | grep -o '^extern custom .*) ->'; done
--file none.fx--
graph none {
  placeholder %x user "x" : f32[4,3]
  %v = aten.cos.default(%x)
  %none = bag.scale_.default([%v], 2.0)
  %z = bag.mix_.default(%v, None, %x)
  output (user %v, user %z)
}
--file input.fx--
graph input {
  placeholder %x user "x" : f32[4,3]
  placeholder %y user "y" : f32[4,3]
  %z = bag.mix_.default(%x, %y, %x)
  %none = bag.scale_.default([%x, %y], 2.0, None, "all")
  output (user %z)
}
--file old.fx--
graph old {
  placeholder %x user "x" : f32[4,3]
  placeholder %y user "y" : f32[3,3]
  %v = aten.mm.default(%x, %y)
  %z = bag.mix_.default(%v, None, %x)
  %w = aten.mm.default(%v, %y)
  %none = bag.scale_.default([%v], 2.0)
  %u = aten.add.Tensor(%w, %v, 1)
  output (user %u)
}
--file several.fx--
graph several {
  placeholder %x user "x" : f32[4,3]
  %a = aten.cos.default(%x)
  %b = aten.sin.default(%x)
  %z = bag.mix_.default(%a, %b, %x)
  %none = bag.scale_.default([%a, %b, %z], 2.0)
  %w = bag.mix_.default(%a, None, %z)
  output (user %a, user %b, user %w)
}
--file view.fx--
graph view {
  placeholder %x user "x" : f32[4,3]
  %part = aten.slice.Tensor(%x, 0, 1, 3, 1)
  %none = bag.scale_.default([%part], 2.0)
  output ()
}
--file twice.fx--
graph twice {
  placeholder %x user "x" : f32[4,3]
  %v = aten.cos.default(%x)
  %t = aten.t.default(%v)
  %none = bag.scale_.default([%v, %t], 2.0)
  %z = bag.mix_.default(%v, %v, %v)
  output (user %v, user %z)
}
--out--
none: 0 copies
extern custom (@buf1[4,3]{3,1}) ->
extern custom (@buf1[4,3]{3,1}, @x[4,3]{3,1}) ->
input: 0 copies
extern custom (@x[4,3]{3,1}, @y[4,3]{3,1}, @x[4,3]{3,1}) ->
extern custom (@x[4,3]{3,1}, @y[4,3]{3,1}) ->
old: 1 copies
extern custom (@buf4[4,3]{3,1}, @x[4,3]{3,1}) ->
extern custom (@buf6[4,3]{3,1}) ->
several: 0 copies
extern custom (@buf2[4,3]{3,1}, @buf3[4,3]{3,1}, @x[4,3]{3,1}) ->
extern custom (@buf2[4,3]{3,1}, @buf3[4,3]{3,1}, @buf1[4,3]{3,1}) ->
extern custom (@buf2[4,3]{3,1}, @buf1[4,3]{3,1}) ->
view: 2 copies
extern custom (@buf1[2,3]{3,1}) ->
twice: 1 copies
extern custom (@buf2[4,3]{3,1}, @buf2[3,4]{1,3}) ->
extern custom (@buf4[4,3]{3,1}, @buf4[4,3]{3,1}, @buf4[4,3]{3,1}) ->
