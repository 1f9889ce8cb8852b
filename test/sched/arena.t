# what the arena of small programs holds, a matrix being 256 bytes: for each rule one that it must hold for, and one that it must not
--run-- for f in chain read_again in_place turned in_registers not_in_registers cat cat_of_cat cat_that_grows cat_twice stack stack_of_short_rows split_and_cat split_and_cat_turned mutated_often a_row_mutated mutated_where_the_old_is_read view_of_a_view copy_of_a_view in_an_output large_cat_late; do echo $f $(ferrite inspect $f.fx --stage plan | sed -n 's/^plan .*: arena \([0-9]*\) bytes[^,]*, bound \([0-9]*\),.*/\1 of \2/p'); done
--file chain.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.mm.default(%x, %x) : f32[8,8]
  %b = aten.mm.default(%a, %a) : f32[8,8]
  %c = aten.mm.default(%b, %b) : f32[8,8]
  %d = aten.mm.default(%c, %c) : f32[8,8]
  %y = aten.sum.default(%d) : f32[]
  output (user %y)
}
--file read_again.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.mm.default(%x, %x) : f32[8,8]
  %b = aten.mm.default(%a, %a) : f32[8,8]
  %c = aten.mm.default(%b, %b) : f32[8,8]
  %e = aten.mm.default(%c, %a) : f32[8,8]
  %d = aten.mm.default(%e, %b) : f32[8,8]
  %y = aten.sum.default(%d) : f32[]
  output (user %y)
}
--file in_place.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.mm.default(%x, %x) : f32[8,8]
  %d = aten._softmax.default(%a, 1, False) : f32[8,8]
  %s = aten.mul.Tensor(%d, %d) : f32[8,8]
  %y = aten.sum.default(%s) : f32[]
  output (user %y)
}
--file turned.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.mm.default(%x, %x) : f32[8,8]
  %t = aten.transpose.int(%a, 0, 1) : f32[8,8]
  %e = aten.add.Tensor(%a, %t) : f32[8,8]
  %d = aten._softmax.default(%e, 0, False) : f32[8,8]
  %y = aten.sum.default(%d) : f32[]
  output (user %y)
}
--file in_registers.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.exp.default(%x) : f32[8,8]
  %b = aten._softmax.default(%a, 1, False) : f32[8,8]
  %d = aten.sin.default(%b) : f32[8,8]
  %y = aten.sum.dim_IntList(%d, [1]) : f32[8]
  output (user %y)
}
--file not_in_registers.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.exp.default(%x) : f32[8,8]
  %b = aten._softmax.default(%a, 1, False) : f32[8,8]
  %d = aten.mm.default(%b, %a) : f32[8,8]
  %y = aten.sum.default(%d) : f32[]
  output (user %y)
}
--file cat.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.mm.default(%x, %x) : f32[8,8]
  %b = aten.mm.default(%a, %a) : f32[8,8]
  %d = aten.cat.default([%a, %b]) : f32[16,8]
  %y = aten.sum.default(%d) : f32[]
  output (user %y)
}
--file cat_of_cat.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.mm.default(%x, %x) : f32[8,8]
  %b = aten.mm.default(%a, %a) : f32[8,8]
  %c = aten.mm.default(%b, %b) : f32[8,8]
  %ab = aten.cat.default([%a, %b]) : f32[16,8]
  %d = aten.cat.default([%ab, %c]) : f32[24,8]
  %y = aten.sum.default(%d) : f32[]
  output (user %y)
}
--file cat_that_grows.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.mm.default(%x, %x) : f32[8,8]
  %ab = aten.cat.default([%a, %x]) : f32[16,8]
  %b = aten.mm.default(%x, %a) : f32[8,8]
  %abc = aten.cat.default([%ab, %b]) : f32[24,8]
  %c = aten.mm.default(%b, %b) : f32[8,8]
  %d = aten.cat.default([%abc, %c]) : f32[32,8]
  %y = aten.sum.default(%d) : f32[]
  output (user %y)
}
--file cat_twice.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.mm.default(%x, %x) : f32[8,8]
  %b = aten.mm.default(%a, %a) : f32[8,8]
  %ab = aten.cat.default([%a, %b]) : f32[16,8]
  %ba = aten.cat.default([%b, %a]) : f32[16,8]
  %t = aten.transpose.int(%ba, 0, 1) : f32[8,16]
  %d = aten.mm.default(%t, %ab) : f32[8,8]
  %y = aten.sum.default(%d) : f32[]
  output (user %y)
}
--file stack.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.mm.default(%x, %x) : f32[8,8]
  %b = aten.mm.default(%a, %a) : f32[8,8]
  %d = aten.stack.default([%a, %b]) : f32[2,8,8]
  %y = aten.sum.default(%d) : f32[]
  output (user %y)
}
--file stack_of_short_rows.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.mm.default(%x, %x) : f32[8,8]
  %b = aten.mm.default(%a, %a) : f32[8,8]
  %d = aten.stack.default([%a, %b], 2) : f32[8,8,2]
  %y = aten.sum.default(%d) : f32[]
  output (user %y)
}
--file split_and_cat.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.mm.default(%x, %x) : f32[8,8]
  %p = aten.slice.Tensor(%a, 0, 0, 4) : f32[4,8]
  %q = aten.slice.Tensor(%a, 0, 4, 8) : f32[4,8]
  %d = aten.cat.default([%p, %q]) : f32[8,8]
  %y = aten.sum.default(%d) : f32[]
  output (user %y)
}
--file split_and_cat_turned.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.mm.default(%x, %x) : f32[8,8]
  %p = aten.slice.Tensor(%a, 0, 0, 4) : f32[4,8]
  %q = aten.slice.Tensor(%a, 0, 4, 8) : f32[4,8]
  %e = aten.cat.default([%q, %p]) : f32[8,8]
  %d = aten.mm.default(%e, %e) : f32[8,8]
  %y = aten.sum.default(%d) : f32[]
  output (user %y)
}
--file mutated_often.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.mm.default(%x, %x) : f32[8,8]
  %b = aten.add_.Tensor(%a, 1) : f32[8,8]
  %r = aten.slice.Tensor(%a, 1, 2, 6) : f32[8,4]
  %c = aten.mul_.Tensor(%r, 2) : f32[8,4]
  %v = aten.view.default(%a, [64]) : f32[64]
  %e = aten.relu_.default(%v) : f32[64]
  %d = aten._softmax.default(%a, 1, False) : f32[8,8]
  %s = aten.mul.Tensor(%d, %d) : f32[8,8]
  %y = aten.sum.default(%s) : f32[]
  output (user %y)
}
--file a_row_mutated.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.mm.default(%x, %x) : f32[8,8]
  %b = aten.add_.Tensor(%a, 1) : f32[8,8]
  %r = aten.select.int(%a, 0, 3) : f32[8]
  %c = aten.mul_.Tensor(%r, 2) : f32[8]
  %d = aten._softmax.default(%a, 1, False) : f32[8,8]
  %s = aten.mul.Tensor(%d, %d) : f32[8,8]
  %y = aten.sum.default(%s) : f32[]
  output (user %y)
}
--file mutated_where_the_old_is_read.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.mm.default(%x, %x) : f32[8,8]
  %o = aten.clone.default(%a) : f32[8,8]
  %b = aten.add_.Tensor(%a, 1) : f32[8,8]
  %t = aten.transpose.int(%o, 0, 1) : f32[8,8]
  %e = aten.add.Tensor(%a, %t) : f32[8,8]
  %d = aten._softmax.default(%e, 0, False) : f32[8,8]
  %y = aten.sum.default(%d) : f32[]
  output (user %y)
}
--file view_of_a_view.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.mm.default(%x, %x) : f32[8,8]
  %v = aten.view.default(%a, [4,2,8]) : f32[4,2,8]
  %s = aten.slice.Tensor(%v, 0, 1, 3) : f32[2,2,8]
  %t = aten.permute.default(%s, [1,0,2]) : f32[2,2,8]
  %d = aten.exp.default(%t) : f32[2,2,8]
  %y = aten.sum.default(%d) : f32[]
  output (user %y)
}
--file copy_of_a_view.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.mm.default(%x, %x) : f32[8,8]
  %t = aten.transpose.int(%a, 0, 1) : f32[8,8]
  %u = aten.clone.default(%t, memory_format=torch.contiguous_format) : f32[8,8]
  %d = aten._softmax.default(%u, 0, False) : f32[8,8]
  %y = aten.sum.default(%d) : f32[]
  output (user %y)
}
--file in_an_output.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %a = aten.mm.default(%x, %x) : f32[8,8]
  %b = aten.mm.default(%a, %a) : f32[8,8]
  %d = aten.mm.default(%b, %b) : f32[8,8]
  output (user %d)
}
--file large_cat_late.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  placeholder %k user "k" : f32[64,8]
  placeholder %l user "l" : f32[1024,8]
  %a = aten.mm.default(%x, %x) : f32[8,8]
  %p = aten.mm.default(%k, %a) : f32[64,8]
  %pt = aten.transpose.int(%p, 0, 1) : f32[8,64]
  %t = aten.mm.default(%p, %pt) : f32[64,64]
  %u = aten._softmax.default(%t, 0, False) : f32[64,64]
  %v = aten.sum.dim_IntList(%u, [0]) : f32[64]
  %m = aten.view.default(%v, [8,8]) : f32[8,8]
  %g = aten.mm.default(%l, %m) : f32[1024,8]
  %d = aten.cat.default([%a, %g]) : f32[1032,8]
  %y = aten.sum.default(%d) : f32[]
  output (user %y)
}
--out--
chain 512 of 512
read_again 1024 of 1024
in_place 256 of 256
turned 512 of 512
in_registers 0 of 0
not_in_registers 768 of 768
cat 512 of 512
cat_of_cat 768 of 768
cat_that_grows 1024 of 1024
cat_twice 1280 of 1280
stack 512 of 512
stack_of_short_rows 1024 of 1024
split_and_cat 256 of 256
split_and_cat_turned 512 of 512
mutated_often 256 of 256
a_row_mutated 256 of 256
mutated_where_the_old_is_read 512 of 512
view_of_a_view 256 of 256
copy_of_a_view 320 of 320
in_an_output 256 of 256
large_cat_late 33280 of 33280
