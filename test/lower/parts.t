# parts: a value that goes from one to another is memory, also one that its reader would take into its own nest; views go with
# what they look at, a copy is a node; what a node writes to its part mutates, and where the old value is read later, another
# part of the class behind that; a device's part holds its kernels alone; nodes with nothing to do are in none, and what is
# asserted of sizes of inputs stands in front of all
--run-- ferrite inspect chain.fx --split op=sin --stage loop | grep -v -e ' = load' -e '^}' -e '^program' -e '^temp' -e '^nest'
--file chain.fx--
graph main {
  placeholder %x user "x" : f32[4]
  %a = aten.exp.default(%x) : f32[4]
  %b = aten.sin.default(%a) : f32[4]
  %c = aten.cos.default(%b) : f32[4]
  output (user %c)
}
--out--
input  @x : f32[4] strides [1] origin 0
partition "rest"
  %1 = exp %0 : f32
  @buf1[i0] = %1
partition "sin"
  %1 = sin %0 : f32
  @buf2[i0] = %1
partition "rest"
  %1 = cos %0 : f32
  @buf3[i0] = %1
output @buf3[4]{1}
--run-- for s in op=relu op=mm,neg op=add,relu; do ferrite inspect sum.fx --split $s --stage wrap | grep '^part'; done
--file sum.fx--
graph main {
  placeholder %x user "x" : f32[2,4]
  placeholder %w user "w" : f32[4,4]
  placeholder %b user "b" : f32[4]
  %c = aten.mm.default(%x, %w) : f32[2,4]
  %s = aten.add.Tensor(%c, %b) : f32[2,4]
  %e = aten.relu.default(%s) : f32[2,4]
  output (user %e)
}
--out--
partition "rest" reads [@x, @w, @b] makes [@buf4]
partition "relu" reads [@buf4] makes [@buf5] ends [@buf4]
partition "mm,neg" reads [@x, @w] makes [@buf3]
partition "rest" reads [@b, @buf3] makes [@buf4] ends [@buf3]
partition "rest" reads [@x, @w] makes [@buf3]
partition "add,relu" reads [@b, @buf3] makes [@buf4] ends [@buf3]
--run-- ferrite inspect views.fx --split nodes=1 --stage wrap | grep '^part'
--file views.fx--
graph main {
  placeholder %x user "x" : f32[2,4]
  %e = aten.exp.default(%x) : f32[2,4]
  %t = aten.t.default(%e) : f32[4,2] {1,4}
  %s = aten.select.int(%t, 0, 1) : f32[2]
  %f = aten.flip.default(%s, [0]) : f32[2]
  %c = aten.cos.default(%f) : f32[2]
  %r = aten.reshape.default(%t, [8]) : f32[8]
  %n = aten.neg.default(%r) : f32[8]
  output (user %c, user %n)
}
--out--
partition "nodes 0" reads [@x] makes [@buf1]
partition "nodes 3" reads [@buf1] makes [@buf2]
partition "nodes 4" reads [@buf2] makes [@buf3] ends [@buf2]
partition "nodes 5" reads [@buf1] makes [@buf4] ends [@buf1]
partition "nodes 6" reads [@buf4] makes [@buf5] ends [@buf4]
--run-- ferrite inspect writes.fx --split nodes=1 --stage wrap | grep '^part'; ferrite inspect writes.fx --split op=add_,select --stage wrap | grep '^part'
--file writes.fx--
graph main {
  placeholder %n buffer "n" : f32[4]
  placeholder %x user "x" : f32[4,4]
  %c = aten.cumsum.default(%n, 0) : f32[4]
  %y = aten.mm.default(%x, %x) : f32[4,4]
  %s = aten.sum.dim_IntList(%y, [0]) : f32[4]
  %w = aten.copy_.default(%n, %s) : f32[4]
  %v = aten.select.int(%n, 0, 1) : f32[]
  %a = aten.add_.Tensor(%v, 1.0) : f32[]
  %r = aten.mul.Tensor(%n, 2.0) : f32[4]
  %q = aten.add.Tensor(%r, %c) : f32[4]
  output (user %q)
}
--out--
partition "nodes 0" reads [@n] makes [@buf2]
partition "nodes 1" reads [@x] makes [@buf3]
partition "nodes 2" reads [@buf3] makes [@buf4] ends [@buf3]
partition "nodes 3" reads [@buf4] mutates [@n] ends [@buf4]
partition "nodes 5" mutates [@n]
partition "nodes 6" reads [@n] makes [@buf7]
partition "nodes 7" reads [@buf2, @buf7] makes [@buf8] ends [@buf2, @buf7]
partition "rest" reads [@x] mutates [@n] makes [@buf2]
partition "add_,select" mutates [@n]
partition "rest" reads [@n, @buf2] makes [@buf6] ends [@buf2]
--run-- for s in op=mul nodes=1; do ferrite inspect back.fx --split $s --stage wrap | grep '^part'; done
--file back.fx--
graph main {
  placeholder %x user "x" : f32[4,4]
  placeholder %y user "y" : f32[4,4]
  %a = aten.mm.default(%y, %y) : f32[4,4]
  %w = aten.mul.Tensor(%x, 2.0) : f32[4,4]
  %b = aten.mm.default(%a, %y) : f32[4,4]
  output (user_input_mutation "x" %w, user %b)
}
--out--
partition "rest" reads [@y] makes [@buf4]
partition "mul" mutates [@x]
partition "nodes 0" reads [@y] makes [@buf2]
partition "nodes 1" mutates [@x]
partition "nodes 2" reads [@y, @buf2] makes [@buf4] ends [@buf2]
--run-- ferrite inspect late.fx --split op=mul --stage wrap | grep '^part'
--file late.fx--
graph main {
  placeholder %x user "x" : f32[4]
  %w = aten.mul.Tensor(%x, 2.0) : f32[4]
  %o = aten.cumsum.default(%w, 0) : f32[4]
  %b = aten.add.Tensor(%o, %x) : f32[4]
  output (user_input_mutation "x" %w, user %b)
}
--out--
partition "mul" reads [@x] makes [@buf1]
partition "rest" reads [@x, @buf1] makes [@buf3]
partition "mul" reads [@buf1] mutates [@x] ends [@buf1]
--run-- ferrite inspect devices.fx --split device --stage wrap | grep -e '^part' -e '^kernel' -e ' copy' | sed 's/_[0-9a-f]* (/ (/; s/ cost [0-9]*//'
--file devices.fx--
graph main {
  placeholder %x user "x" : f32[8]
  placeholder %g user "g" : f32[8]:cuda0
  %n = aten.neg.default(%x) : f32[8]
  %a = aten.add.Tensor(%g, 1.0) : f32[8]:cuda0
  %w = aten.mul.Tensor(%a, 2.0) : f32[8]:cuda0
  %h = aten._to_copy.default(%a, device=cpu) : f32[8]
  %r = aten.add.Tensor(%n, %h) : f32[8]
  output (user_input_mutation "g" %w, user %r)
}
--out--
partition "cuda0" mutates [@g] makes [@buf2]
kernel k_add_mul (@g, @buf2) ints [] m 1 n 8
partition "cpu" reads [@x, @buf2] makes [@buf5] ends [@buf2]
kernel k_neg_add (@x, @buf4, @buf5) ints [] m 1 n 8
--run-- ferrite inspect sizes.fx --split op=neg --stage wrap | grep -e '^part' -e '^assert'; ferrite inspect sizes.fx --split op=neg --part 0 --stage wrap | grep '^assert'
--file sizes.fx--
graph main {
  range s0 in [2, 64]
  range s1 in [2, 64]
  placeholder %x user "x" : f32[s0]
  placeholder %y user "y" : f32[s1]
  %n = aten.neg.default(%x) : f32[s0]
  %d = aten.dropout.default(%n, 0.5, False) : f32[s0]
  %k = aten.sym_size.int(%x, 0) : int s0
  %m = _operator.mod(%k, 2) 
  %z = _operator.eq(%m, 0)
  %t = aten._assert_scalar.default(%z, "odd")
  %e = aten.exp.default(%d) : f32[s0]
  output (user %e)
}
--out--
assert s0 % 2 == 0 "odd: s0 % 2 == 0 (t)"
partition "neg" reads [@x] makes [@buf2] symbols [s0]
partition "rest" reads [@buf2] makes [@buf3] ends [@buf2] symbols [s0]
assert s0 % 2 == 0 "odd: s0 % 2 == 0 (t)"
