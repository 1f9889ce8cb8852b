# a device that has no double, does not open, has no memory, or is lost: one message each, and nothing is left behind; a context goes on behind a run that failed
--run-- ${FERRITE_TEST_CC:-cc} -shared -fPIC -I$ROOT/include $ROOT/examples/device/delayed.c -o delayed.so -lpthread; run() { DELAYED_FAULT=$1 ferrite run f.fx --devices ./delayed.so 2>&1 >out | sed 's/^error: run: privateuseone:0://'; }; for k in f64 open:1 load:1 queue:3 allocate:4 allocate:5 allocate:6 pinned:1 write:4 read:1 launch:2 record:3 follow:1 follow:2 wait:3; do run $k; done; for n in 1 5 9 13 17 21 25 29; do run lost:$n; done | sort | uniq -c
--file f.fx--
graph main {
  placeholder %sum buffer "sum" : f32[4]:privateuseone0 data [100.0, 0.0, 0.0, 0.0]
  placeholder %w param "w" : f32[4]:privateuseone0 data [1.0, 2.0, 3.0, 4.0]
  placeholder %r buffer "r" : f32[4] data [4.0, 3.0, 2.0, 1.0]
  %x = aten._to_copy.default(%r, device=privateuseone:0) : f32[4]:privateuseone0
  %e = aten.mul.Tensor(%x, %w) : f32[4]:privateuseone0
  %s = aten.sort.default(%e) : (f32[4]:privateuseone0, i64[4]:privateuseone0)
  %v = _operator.getitem(%s, 0) : f32[4]:privateuseone0
  %t = aten.sum.dim_IntList(%v, [0]) : f32[]:privateuseone0
  %n = aten.add.Tensor(%sum, %t) : f32[4]:privateuseone0
  %h = aten._to_copy.default(%n, device=cpu) : f32[4]
  output (buffer_mutation "sum" %n, user %n, user %h)
}
--out--
 delayed 0 has no double, and kernels of the program compute with it, as sums of floats do: leave them on the cpu (option place)
 a fault of open, as wanted
 a fault of load, as wanted
 a fault of queue, as wanted
 no memory for 17 bytes: a fault of allocate, as wanted
 no memory for 16 bytes: a fault of allocate, as wanted
 no memory for 64 bytes: a fault of allocate, as wanted
 no memory for 128 bytes: a fault of pinned, as wanted
 a fault of write, as wanted
 a fault of read, as wanted
 a fault of launch, as wanted
 a fault of record, as wanted
 a fault of follow, as wanted
 a fault of follow, as wanted
 a fault of wait, as wanted
      1  no memory for 17 bytes: the device is lost
      7  the device is lost
--status-- 1
--run-- ${FERRITE_TEST_CC:-cc} -shared -fPIC -I$ROOT/include $ROOT/examples/device/delayed.c -o delayed.so -lpthread; ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/device_call.c -o call -ldl; ferrite compile kept.fx -o m.so --quiet && for k in launch:1 launch:3 read:2 wait:4 allocate:5 allocate:99; do DELAYED_FAULT=$k ./call ./m.so ./delayed.so | sed -n '1,9p' | sed "s/^/$k /"; done
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
launch:1 given: privateuseone:0: a fault of launch, as wanted
launch:1 y: -2.87352e-16 -2.87352e-16 -2.87352e-16 -2.87352e-16 -2.87352e-16 -2.87352e-16 -2.87352e-16 -2.87352e-16
launch:1 by columns: ok
launch:1 y: 0 416 6 30 16 48 30 70
launch:1 asked, own, output: 0 12 32 60 432 60 96 140
launch:1 asked, elsewhere, output: 4 5 6 7
launch:1 asked, own, output: 108 12 16 20
launch:1 output 'output_2' is on privateuseone:0, and alloc gives no memory of it
launch:1 first: ok
launch:3 given: ok
launch:3 y: 0 6 16 30 416 30 48 70
launch:3 by columns: privateuseone:0: a fault of launch, as wanted
launch:3 y: 0 6 16 30 416 30 48 70
launch:3 asked, own, output: 0 12 32 60 432 60 96 140
launch:3 asked, elsewhere, output: 4 5 6 7
launch:3 asked, own, output: 108 12 16 20
launch:3 output 'output_2' is on privateuseone:0, and alloc gives no memory of it
launch:3 first: ok
read:2 given: ok
read:2 y: 0 6 16 30 416 30 48 70
read:2 by columns: privateuseone:0: a fault of read, as wanted
read:2 y: 0 6 16 30 416 30 48 70
read:2 asked, own, output: 0 18 48 90 448 90 144 210
read:2 asked, elsewhere, output: 4 5 6 7
read:2 asked, own, output: 112 18 24 30
read:2 output 'output_2' is on privateuseone:0, and alloc gives no memory of it
read:2 first: ok
wait:4 privateuseone:0: a fault of wait, as wanted
wait:4 given: ok
wait:4 y: 0 6 16 30 416 30 48 70
wait:4 by columns: ok
wait:4 y: 0 432 12 60 32 96 60 140
wait:4 asked, own, output: 0 18 48 90 448 90 144 210
wait:4 asked, elsewhere, output: 4 5 6 7
wait:4 asked, own, output: 112 18 24 30
wait:4 output 'output_2' is on privateuseone:0, and alloc gives no memory of it
allocate:5 given: privateuseone:0: no memory for 16 bytes: a fault of allocate, as wanted
allocate:5 y: -2.87352e-16 -2.87352e-16 -2.87352e-16 -2.87352e-16 -2.87352e-16 -2.87352e-16 -2.87352e-16 -2.87352e-16
allocate:5 by columns: ok
allocate:5 y: 0 416 6 30 16 48 30 70
allocate:5 asked, own, output: 0 12 32 60 432 60 96 140
allocate:5 asked, elsewhere, output: 4 5 6 7
allocate:5 asked, own, output: 108 12 16 20
allocate:5 output 'output_2' is on privateuseone:0, and alloc gives no memory of it
allocate:5 first: ok
allocate:99 given: ok
allocate:99 y: 0 6 16 30 416 30 48 70
allocate:99 by columns: ok
allocate:99 y: 0 432 12 60 32 96 60 140
allocate:99 asked, own, output: 0 18 48 90 448 90 144 210
allocate:99 asked, elsewhere, output: 4 5 6 7
allocate:99 asked, own, output: 112 18 24 30
allocate:99 output 'output_2' is on privateuseone:0, and alloc gives no memory of it
allocate:99 first: ok
