# the two queues of a device: marks where they share memory, also where a buffer lies in memory that a copy still reads, and none where they do not; in parts, where kernels of the part before may be under way; what breaks law W16
--run-- ferrite inspect early.fx --isa x86-64-v4 --stage wrap >early.wrap; grep -e ^alloc -e ^copy -e ^kernel -e ^mark -e ^after -e ^wait early.wrap | sed 's/\(k_[a-z_]*\)_[0-9a-f]* (/\1 (/; s/ ints.*//; s/\[[0-9,]*\]{[0-9,]*}//g'; ferrite inspect early.wrap --from wrap --stage wrap | cmp - early.wrap
--file early.fx--
graph main {
  placeholder %x user "x" : f32[4,64]
  placeholder %y user "y" : f32[4,64]
  %d = aten._to_copy.default(%x, device=cuda:0, non_blocking=True) : f32[4,64]:cuda0
  %a = aten.cumsum.default(%d, 0) : f32[4,64]:cuda0
  %h = aten._to_copy.default(%a, device=cpu, non_blocking=True) : f32[4,64]
  %b = aten.cumsum.default(%a, 1) : f32[4,64]:cuda0
  %c = aten.cumsum.default(%b, 0) : f32[4,64]:cuda0
  %e = aten._to_copy.default(%y, device=cuda:0, non_blocking=True) : f32[4,64]:cuda0
  %f = aten.add.Tensor(%c, %e) : f32[4,64]:cuda0
  %g = aten._to_copy.default(%f, device=cpu, non_blocking=True) : f32[4,64]
  output (user %h, user %g)
}
--out--
alloc @buf2 live [0, 3) segment 1 bytes 1024
copy @x -> @buf2 async
mark 0 cuda 0 copies
alloc @buf7 live [1, 7) segment 1 bytes 1024
copy @y -> @buf7 async
after 0 cuda 0 kernels
kernel k_sum (@buf2, @buf3)
mark 1 cuda 0 kernels
after 1 cuda 0 copies
copy @buf3 -> @buf4 async
mark 2 cuda 0 copies
after 2 cuda 0 kernels
kernel k_sum (@buf3, @buf5)
kernel k_sum (@buf5, @buf6)
kernel k_add (@buf6, @buf7, @buf8)
mark 3 cuda 0 kernels
after 3 cuda 0 copies
copy @buf8 -> @buf9 async
wait @buf9
wait @buf4
wait @y
wait @x
--run-- for law in '/^after 0/d' '/^mark 1/d' 's/^after 1 cuda 0 copies/after 1 cuda 0 kernels/' 's/^mark 1/mark 0/' '/^after [2-9] cuda 0 kernels/d'; do sed "$law" early.wrap | sed 's/\(k_[a-z]*\)_[0-9a-f]* (/\1 (/' >broken.wrap; ferrite inspect broken.wrap --from wrap --stage wrap 2>&1 >/dev/null | head -2 | sed 's/ ints.*//; s/\[[0-9,]*\]{[0-9,]*}//g'; done
--out--
error: wrap: law W16: memory is reached before the other queue of its device is done with it: buf2
  at line 12: kernel k_sum (@buf2, @buf3)
error: wrap: law W16: a mark is waited for before it is there: 
  at line 15: after 1 cuda 0 copies
error: wrap: law W16: a mark is not in the other queue of the device: 
  at line 16: after 1 cuda 0 kernels
error: wrap: law W16: two marks have one number: 
  at line 14: mark 0 cuda 0 kernels
error: wrap: law W16: memory is reached before the other queue of its device is done with it: buf5
  at line 21: kernel k_sum (@buf3, @buf5)
--status-- 1
--run-- ferrite inspect early.fx --split nodes=3 --stage wrap | grep -e ^part -e ^mark -e ^after -e ^copy -e ^kernel -e ^wait | sed 's/\(k_[a-z_]*\)_[0-9a-f]* (/\1 (/; s/ ints.*//; s/\[[0-9,]*\]{[0-9,]*}//g'
--out--
partition "nodes 0" reads [@x] makes [@buf3, @buf4]
mark 0 cuda 0 kernels
after 0 cuda 0 copies
copy @x -> @buf2 async
mark 1 cuda 0 copies
after 1 cuda 0 kernels
kernel k_sum (@buf2, @buf3)
mark 2 cuda 0 kernels
after 2 cuda 0 copies
copy @buf3 -> @buf4 async
wait @buf4
wait @x
partition "nodes 3" reads [@y, @buf3] makes [@buf6, @buf7] ends [@buf3]
mark 3 cuda 0 kernels
after 3 cuda 0 copies
copy @y -> @buf7 async
kernel k_sum (@buf3, @buf5)
kernel k_sum (@buf5, @buf6)
wait @y
partition "nodes 6" reads [@buf6, @buf7] makes [@buf9] ends [@buf6, @buf7]
kernel k_add (@buf6, @buf7, @buf8)
mark 4 cuda 0 kernels
after 4 cuda 0 copies
copy @buf8 -> @buf9 async
wait @buf9
