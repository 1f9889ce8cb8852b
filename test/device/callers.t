# memory of a device that a caller gives for outputs, in strides of his own too, or when he is asked; results as the next inputs; memory that is elsewhere
--run-- ${FERRITE_TEST_CC:-cc} -shared -fPIC -I$ROOT/include $ROOT/examples/device/delayed.c -o delayed.so -lpthread; ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/device_call.c -o call -ldl; ferrite compile kept.fx -o m.so --quiet && ./call ./m.so ./delayed.so
--file kept.fx--
symbols {
  s0 in [1, 16]
}
graph main {
  placeholder %sum buffer "sum" : f32[4]:privateuseone0 data [100.0, 0.0, 0.0, 0.0]
  placeholder %x user "x" : f32[s0,4]:privateuseone0
  %t = aten.sum.dim_IntList(%x, [0]) : f32[4]:privateuseone0
  %n = aten.add.Tensor(%sum, %t) : f32[4]:privateuseone0
  %y = aten.mul.Tensor(%x, %n) : f32[s0,4]:privateuseone0
  %v = aten.select.int(%x, 0, 1) : f32[4]:privateuseone0
  
  output (buffer_mutation "sum" %n, user %y, user %v, user %n)
}
--out--
given: ok
y: 0 6 16 30 416 30 48 70
by columns: ok
y: 0 432 12 60 32 96 60 140
asked, own, output: 0 18 48 90 448 90 144 210
asked, elsewhere, output: 4 5 6 7
asked, own, output: 112 18 24 30
output 'output_2' is on privateuseone:0, and alloc gives no memory of it
first: ok
next: ok
y: 0 4032 18432 52800 269120 20160 55296 123200
sum: 580 168 288 440
next: ok
y: 0 9.82195e+07 1.36426e+09 9.31603e+09 7.25817e+10 4.91098e+08 4.09279e+09 2.17374e+10
sum: 269700 24360 74016 176440
output here: output 'output_0' is on privateuseone:0, and what is given is no memory of that device (fe_artifact.device_new, device_write)
input here: input 'x' is on privateuseone:0, and what is given is no memory of that device (fe_artifact.device_new, device_write)
input behind the end: input 'x' is on privateuseone:0, and what is given is no memory of that device (fe_artifact.device_new, device_write)
kept has no device 2
privateuseone:0: an address is in no memory of this device
state 'sum' has 16 bytes, not 4
kept has no state 7
