# programs of several devices: guards, copies, memory by device, what the host waits for; the laws; which targets take them
--run-- ferrite inspect two.fx --isa x86-64-v4 --stage wrap >two.wrap; sed 's/\(k_[a-z_]*\)_[0-9a-f]* (/\1 (/; s/ cost [0-9]*//; s/ origin [0-9]*//' two.wrap; ferrite inspect two.wrap --from wrap --stage wrap | cmp - two.wrap
--file two.fx--
graph main {
  placeholder %x user "x" : f32[4,8]
  placeholder %w user "w" : f32[8,4]:cuda0
  %d = aten._to_copy.default(%x, device=cuda:0, non_blocking=True) : f32[4,8]:cuda0
  %e = aten.exp.default(%d) : f32[4,8]:cuda0
  %m = aten.mm.default(%e, %w) : f32[4,4]:cuda0
  %r = aten.relu.default(%m) : f32[4,4]:cuda0
  %b = aten._to_copy.default(%r, device=cpu, non_blocking=True) : f32[4,4]
  %s = aten.sum.dim_IntList(%b, [1]) : f32[4]
  %n = aten.neg.default(%b) : f32[4,4]
  %q = aten._to_copy.default(%n, device=cuda:0) : f32[4,4]:cuda0
  %t = aten.add.Tensor(%q, %r) : f32[4,4]:cuda0
  output (user %s, user %t)
}
--out--
program two
input  @x : f32[4,8] strides [8,1]
input  @w : f32[8,4] strides [4,1] cuda 0
temp   @buf2 : f32[4,8] strides [8,1] cuda 0
temp   @buf3 : f32[4,8] strides [8,1] cuda 0
temp   @buf4 : f32[4,4] strides [4,1] cuda 0
temp   @buf5 : f32[4,4] strides [4,1] cuda 0
temp   @buf6 : f32[4,4] strides [4,1] pinned
temp   @buf7 : f32[4] strides [1]
temp   @buf8 : f32[4,4] strides [4,1]
temp   @buf9 : f32[4,4] strides [4,1] cuda 0
temp   @buf10 : f32[4,4] strides [4,1] cuda 0
wrapper arena 64 bound 64 weights 0 kernels 5 calls 5
memory @buf2 in @buf3
memory @buf5 in @buf10
memory @buf7 output 0
memory @buf10 output 1
place 1 cuda 0
alloc @buf2 live [0, 2) segment 1 bytes 128
note "d"
copy @x[4,8]{8,1} -> @buf2[4,8]{8,1} async
mark 0 cuda 0 copies
reuse @buf2 -> @buf3 live [1, 3) segment 1 bytes 128
note "e"
device cuda 0
after 0 cuda 0 kernels
kernel k_exp (@buf2, @buf3) ints [] m 1 n 32
note "m, r"
kernel k_sum_mul_max (@buf3, @w, @buf5) ints [] m 16
mark 1 cuda 0 kernels
free @buf3
place 2 pinned
alloc @buf6 live [3, 6) segment 2 bytes 64
note "b"
after 1 cuda 0 copies
copy @buf5[4,4]{4,1} -> @buf6[4,4]{4,1} async
note "s"
wait @buf6
device cpu
kernel k_sum (@buf6, @buf7) ints [] m 4
alloc @buf8 live [5, 7) at 0 bytes 64
note "n"
kernel k_neg (@buf6, @buf8) ints [] m 1 n 16
free @buf6
alloc @buf9 live [6, 8) segment 1 bytes 64
note "q"
copy @buf8[4,4]{4,1} -> @buf9[4,4]{4,1}
free @buf8
note "t"
device cuda 0
kernel k_add (@buf9, @buf5, @buf10) ints [] m 1 n 16
free @buf9
wait @x
output 0 @buf7[4]{1}
output 1 @buf10[4,4]{4,1}
--run-- ferrite inspect two.fx --split nodes=3 --stage wrap | grep -e ^part -e ^device -e ^wait -e ^copy
--out--
partition "nodes 0" reads [@x, @w] makes [@buf4]
copy @x[4,8]{8,1} -> @buf2[4,8]{8,1} async
device cuda 0
wait @x
partition "nodes 3" reads [@buf4] makes [@buf5, @buf6, @buf7] ends [@buf4]
device cuda 0
copy @buf5[4,4]{4,1} -> @buf6[4,4]{4,1} async
wait @buf6
device cpu
partition "nodes 6" reads [@buf5, @buf6] makes [@buf10] ends [@buf5, @buf6]
copy @buf8[4,4]{4,1} -> @buf9[4,4]{4,1}
device cuda 0
--run-- for law in '/^wait @buf6/d' '/^wait @x/d' '/^device cuda/d' 's/^place 2 pinned/place 2/' 's/copy @x\[4,8\]{8,1} -> @buf2/copy @buf3[4,8]{8,1} -> @buf2/'; do sed "$law" two.wrap | sed 's/\(k_[a-z]*\)_[0-9a-f]* (/\1 (/' | ferrite inspect - --from wrap --stage wrap | sed d; done
--err--
error: wrap: law W10: a buffer is used before its copy is waited for: buf6
  at line 22: kernel k_sum (@buf6, @buf7) ints [] m 4 cost 2137
  help: this is a fault of ferrite's own: please report it with the program
error: wrap: law W10: a copy is not waited for: 
  at line 36: output 0 @buf7[4]{1}
  help: this is a fault of ferrite's own: please report it with the program
error: wrap: law W9: a kernel is called with memory of another device than it runs on: buf2
  at line 9: kernel k_exp (@buf2, @buf3) ints [] m 1 n 32 cost 2950
  help: this is a fault of ferrite's own: please report it with the program
error: wrap: law W9: a buffer is in a segment of other memory: buf6
  at line 16: alloc @buf6 live [3, 6) segment 2 bytes 64
  help: this is a fault of ferrite's own: please report it with the program
error: wrap: law W1: a buffer is used before it is allocated: buf3
  at line 4: copy @buf3[4,8]{8,1} -> @buf2[4,8]{8,1} async
  help: this is a fault of ferrite's own: please report it with the program
--status-- 1
--run-- ferrite compile two.fx -o two.so --quiet; ferrite compile two.fx --emit python -o two.py; ferrite compile two.fx --max-arena --emit fx -o two.json; ferrite inspect two.fx --device cpu --stage wrap | grep -c -e cuda -e copy -e pinned; ferrite inspect two.fx --stage sched | grep '^refuse.*device'
--err--
error: emit: %w is on cuda0, and this target runs on the cpu alone
  help: with --device cpu it is made for the cpu, with --device opencl as C or a library for OpenCL; a graph (--emit fx) is made for all
error: wrap: max-arena: 'w' is on another device than the cpu
--out--
0
refuse 0 1 other_device
refuse 4 5 other_device
refuse 4 6 other_device
refuse 7 8 other_device
--run-- ferrite inspect works.fx --isa x86-64-v4 --stage wrap | grep -e '^temp' -e '^extern' && ferrite compile works.fx --emit fx -o works.json --quiet
--file works.fx--
graph main {
  placeholder %x user "x" : f32[2,9,71]:cuda0
  placeholder %w user "w" : f32[20,9,4]:cuda0
  %c = aten.convolution.default(%x, %w, None, [1], [0], [1], False, [0], 1) : f32[2,20,68]:cuda0
  %i = aten.sort.default(%c) : (f32[2,20,68]:cuda0, i64[2,20,68]:cuda0)
  %v = _operator.getitem(%i, 0) : f32[2,20,68]:cuda0
  output (user %v)
}
--out--
temp   @buf2 : f32[2,20,68] strides [1360,68,1] cuda 0 origin 2
temp   @buf3 : f32[2,20,68] strides [1360,68,1] pinned origin 6
temp   @buf4 : f32[2,20,68] strides [1360,68,1] pinned origin 3
temp   @buf5 : f32[2,20,68] strides [1360,68,1] cuda 0 origin 7
extern sort (@buf3[2,20,68]{1360,68,1}) -> (@buf4[2,20,68]{1360,68,1}, none) ints [2, 0] floats []
