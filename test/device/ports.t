# inputs, outputs, a view that is returned and a buffer that the program changes are in memory of a device where they were recorded there, of any size: for a host in C; what ferrite runs it brings and fetches; what a device has no kernels for runs on the host
--run-- ${FERRITE_TEST_CC:-cc} -shared -fPIC -I$ROOT/include $ROOT/examples/device/delayed.c -o delayed.so -lpthread; ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/examples/device/memory.c -o memory -ldl; ferrite compile kept.fx -o m.so --quiet && ./memory ./m.so ./delayed.so
--file kept.fx--
symbols {
  s0 in [2, 16]
}
graph main {
  placeholder %sum buffer "sum" : f32[4]:privateuseone0 data [100.0, 0.0, 0.0, 0.0]
  placeholder %x user "x" : f32[s0,4]:privateuseone0
  %t = aten.sum.dim_IntList(%x, [0]) : f32[4]:privateuseone0
  %n = aten.add.Tensor(%sum, %t) : f32[4]:privateuseone0
  %y = aten.mul.Tensor(%x, %n) : f32[s0,4]:privateuseone0
  %v = aten.select.int(%x, 0, 1) : f32[4]:privateuseone0
  %h = aten._to_copy.default(%n, device=cpu) : f32[4]
  output (buffer_mutation "sum" %n, user %y, user %v, user %h)
}
--out--
output 0 on privateuseone:0: 0 6 16 30 416 30 48 70
output 1 on privateuseone:0: 4 5 6 7
output 2 on the host: 104 6 8 10
output 0 on privateuseone:0: 0 21 52 93 464 105 156 217 928 189 260 341
output 1 on privateuseone:0: 4 5 6 7
output 2 on the host: 116 21 26 31
state sum: 116 21 26 31
output 0 on privateuseone:0: 0 6 16 30 16 30 48 70
output 1 on privateuseone:0: 4 5 6 7
output 2 on the host: 4 6 8 10
input 'x' is on privateuseone:0, and what is given is no memory of that device (fe_artifact.device_new, device_write)
--run-- ${FERRITE_TEST_CC:-cc} -shared -fPIC -I$ROOT/include $ROOT/examples/device/delayed.c -o delayed.so -lpthread; cd $ROOT; P=test/cases/programs; for o in "--target process" "--target c" --no-cc; do ferrite check --device privateuseone --devices $OLDPWD/delayed.so $o --device-ports $P/aliasing_outputs.pt2 $P/buffer_mutation.pt2 $P/input_mutation.pt2 $P/dynamic_transposed.pt2 && ferrite check --device privateuseone --devices $OLDPWD/delayed.so $o $P/buffer_mutation.pt2; done; ferrite check --device privateuseone --devices $OLDPWD/delayed.so --device-ports --split nodes=3 --replace-parts $P/dynamic_mlp.pt2
--out--
4 passed, 0 failed, 0 unsupported
1 passed, 0 failed, 0 unsupported
4 passed, 0 failed, 0 unsupported
1 passed, 0 failed, 0 unsupported
4 passed, 0 failed, 0 unsupported
1 passed, 0 failed, 0 unsupported
1 passed, 0 failed, 0 unsupported
--run-- ferrite inspect p.fx --stage wrap --isa baseline | sed 's/\(k_[a-z_]*\)_[0-9a-f]* (/\1 (/; s/ cost.*//' | grep -e '^device' -e '^kernel' -e '^extern' -e '^copy' -e '^wait' -e '^output'
--file p.fx--
graph main {
  placeholder %x user "x" : f32[8]:privateuseone0
  placeholder %g user "g" : f32[8]:privateuseone0
  %e = aten.exp.default(%x) : f32[8]:privateuseone0
  %s = aten.sort.default(%e) : (f32[8]:privateuseone0, i64[8]:privateuseone0)
  %v = _operator.getitem(%s, 0) : f32[8]:privateuseone0
  %n = aten.neg.default(%v) : f32[8]:privateuseone0
  %h = aten._to_copy.default(%n, device=cpu) : f32[8]
  %a = aten.add.Tensor(%g, %n) : f32[8]:privateuseone0
  output (user_input_mutation "g" %a, user %h, user %v)
}
--out--
device privateuseone 0
kernel k_exp (@x, @buf2) ints [] m 1 n 8
copy @buf2[8]{1} -> @buf3[8]{1} async
wait @buf3
device cpu
extern sort (@buf3[8]{1}) -> (@buf4[8]{1}, none) workspace @buf8 ints [0, 0] floats []
copy @buf4[8]{1} -> @buf5[8]{1} async
wait @buf4
device privateuseone 0
kernel k_neg_add (@buf5, @buf6, @g) ints [] m 1 n 8
copy @buf6[8]{1} -> @buf7[8]{1}
output 0 @buf7[8]{1}
output 1 @buf5[8]{1}
