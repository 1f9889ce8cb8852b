# operators of the user: two results and a changed argument, an out overload, lists and optional arguments; what was functionalised is changed where it lies again
--run-- for n in moe quant; do cc -shared -fPIC -I$ROOT/include $ROOT/examples/custom_ops/$n.c -lm -o lib$n.so || exit; done; for n in bag returns views sizes; do cc -shared -fPIC -I$ROOT/include $ROOT/test/custom_ops/$n.c -o lib$n.so || exit; done; for how in '' '--target process' --no-cc '--split nodes=3'; do ferrite check $ROOT/test/custom_ops --ops ./libmoe.so --ops ./libquant.so --ops libbag.so --ops libreturns.so --ops libviews.so --ops libsizes.so $how | sed 's,^[1-9][0-9]* passed,all passed,'; done
--out--
all passed, 0 failed, 0 unsupported
all passed, 0 failed, 0 unsupported
all passed, 0 failed, 0 unsupported
all passed, 0 failed, 0 unsupported
--run-- ferrite inspect changed.fx --ops libbag.so --ops libreturns.so --stage wrap --isa x86-64-v4 | sed -n '/^note/,$p'
--file changed.fx--
operators {
  "bag::scale_(Tensor(a!)[] xs, float by, Tensor? mask=None, str mode=\"all\") -> ()"
  "bag::increment_(Tensor(a!) x, Tensor(b!)? calls=None) -> Tensor(a!)"
  "returns::seen(Tensor x, Tensor(a!)? seen=None) -> (Tensor, Tensor)"
}
graph changed {
  placeholder %x user "x" : f32[4]
  placeholder %y user "y" : f32[4,3]
  placeholder %n user "n" : i64[]
  %none = bag.scale_.default([%x, %y], 2.0, None, "all")
  %same = bag.increment_.default(%x, %n)
  %pair = returns.seen.default(%y, %n)
  %more = _operator.getitem(%pair, 0)
  %z = aten.add.Tensor(%more, %y, 1)
  output (user %z)
}
--out--
note "scale_"
extern custom (@x[4]{1}, @y[4,3]{3,1}) -> (@x[4]{1}, @y[4,3]{3,1}) ints [] floats [2.0] calls "bag_scale" "[MM]f-s" effect strings ["all"]
note "increment_"
extern custom (@x[4]{1}, @n[]{}) -> (@x[4]{1}, @n[]{}) ints [] floats [] calls "bag_increment" "MM" effect
alloc @buf7 live [2, 3) at 0 bytes 16
note "seen"
extern custom (@y[4,3]{3,1}, @n[]{}) -> (@n[]{}, @buf6[4,3]{3,1}, @buf7[4]{1}) ints [] floats [] calls "returns_seen" "TM" effect
free @buf7
note "z"
kernel k_add_78abf3 (@buf6, @y, @buf8) ints [] m 1 n 12 cost 70
output 0 @buf8[4,3]{3,1}
--run-- ferrite compile $ROOT/test/custom_ops/quantised.pt2 --ops libquant.so --emit c -o src --quiet && sh $ROOT/test/artifact/sources.sh -O0 src ISAS=base >log && cp libquant.so src && ldd src/quantised.so | grep -c 'libquant.so => .*/src/libquant.so'
--out--
1
--run-- ferrite inspect $ROOT/test/custom_ops/bag.pt2 --ops libbag.so --stage loop >loop && ferrite inspect loop --from loop --stage loop | diff loop - && ferrite inspect loop --from loop --stage wrap --isa x86-64-v4 >wrap && ferrite inspect wrap --from wrap --stage wrap --isa x86-64-v4 | diff wrap - && grep -o 'calls ".*' wrap
--out--
calls "bag_scale" "[MM]f-s" effect strings ["all"]
calls "bag_scale" "[MM]fTs" effect strings ["first"]
calls "bag_sums" "[TT]"
calls "bag_increment" "MM" effect
calls "bag_increment" "M-" effect
--run-- ferrite compile $ROOT/test/custom_ops/quantised.pt2 -o a.so
--err--
error: pt2: cannot read torch.ops.quant.quantise.default: this operator is not known
  at models/model.json: graph_module.graph.nodes[1]
  source cases_custom.py:106 in forward
  help: declare it in a library of your own (ferrite_ops.h), and give that with --ops
--status-- 1
# a library that is none
--run-- echo >empty.c; cc -shared empty.c -o libempty.so; cp libempty.so here.so; ferrite compile $ROOT/test/custom_ops/quantised.pt2 --ops here.so -o a.so 2>&1 | sed 's|[^ ]*/here|here|'
--out--
error: ops: it has no function ferrite_ops
  at here.so
  help: end it with FE_OP_LIBRARY (ferrite_ops.h)
--status-- 1
--run-- ferrite compile $ROOT/test/custom_ops/quantised.pt2 --ops missing.so -o a.so
--err--
error: ops: cannot be found
  at missing.so
  help: give the path of a shared library
--status-- 1
# each mistake in a declaration is one diagnostic
--run-- for n in 1 2 3 4 5 6 7; do cc -shared -fPIC -DMISTAKE=$n -I$ROOT/include $ROOT/test/custom_ops/wrong.c -o w.so; ferrite run $ROOT/test/custom_ops/quantised.pt2 --ops w.so 2>&1 | sed 's|[^ ]*/w.so|w.so|'; done
--out--
error: op: schema: expected ',', found the end
  at column 37 of "quant::quantise(Tensor x, int bits=8"
  help: a schema reads like "space::name.overload(Tensor x, Tensor(a!) y, int[2] size=0) -> Tensor"
error: op: quant.quantise.default: "quant::quantise.out(Tensor x, int width=8, *, Tensor(a!) v, Tensor(b!) s) -> (Tensor(a!), Tensor(b!))" cannot stand for "quant::quantise(Tensor x, int bits=8) -> (Tensor, Tensor)": its parameters have other names
  help: give the out overload the parameters of the functional one, then *, Tensor(a!) ... for each return
error: ops: quant.quantise.default has neither a function nor an out overload
  at w.so
  help: name its function, or declare the overload that writes into outputs
error: infer: quant.quantise.default: the shapes declared for it give (i8[10,4], f32[4]), the program records (i8[4,10], f32[4]) (sizes differ)
  at %quantise in graph main
  source cases_custom.py:106 in forward
  help: correct the shapes in the operator's row, or export the program again
error: op: quant.quantise.default: declared before as "quant::quantise(Tensor x, int bits=8) -> (Tensor, Tensor)"
  help: declare an operator once, or each time in the same way
error: infer: the shapes of quant.quantise.default: m is not on the left (found ']')
  at line 1, column 19
error: run: wrong_run: failed
--status-- 1
--run-- cat >k.fx; ferrite run k.fx --ops libmoe.so
--in--
operators { "moe::route(Tensor logits, Tensor(a!) counts, int k=2) -> (Tensor, Tensor)" }
graph main {
  %x = aten.zeros.default([2, 3], None, None, None, None)
  %c = aten.zeros.default([3], torch.int64, None, None, None)
  %r = moe.route.default(%x, %c, 4)
  %w = _operator.getitem(%r, 0)
  output (user %w)
}
--err--
error: run: moe_route: k is 4 of 3 experts
--status-- 1
--run-- cc -shared -fPIC -I$ROOT/include $ROOT/test/custom_ops/bag.c -o libbag.so; cat >w.fx; for o in --bisect '--bisect --no-cc'; do ferrite run w.fx --ops libbag.so $o --output-dir out | grep -c kernels && tail -c 24 out/0.npy | od -An -f; done; ferrite inspect w.fx --ops libbag.so --no-passes --stage wrap
--in--
operators { "bag::scale_(Tensor(a!)[] xs, float by, Tensor? mask=None, str mode=\"all\") -> ()" }
graph w {
  %x = aten.full.default([2, 3], 1.5) : f32[2,3]
  %none = bag.scale_.default([%x], 2.0, None, "all")
  output (user %x)
}
--out--
1
               3               3               3               3
               3               3
1
               3               3               3               3
               3               3
--err--
error: lower: cannot lower bag.scale_.default: it writes to an argument
  at %none in graph w
  help: leave the passes on: functionalise makes it return what it writes
--status-- 1
