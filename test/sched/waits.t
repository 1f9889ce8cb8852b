# of several devices, a kernel that could begin is not fused with what waits for another device; with an input that is brought it is, and on one device
--run-- for device in opencl cpu; do ferrite inspect late.fx --device $device --stage sched | grep -e '^refuse.*waits' -e '^group.*kernel' -e '^kernel' | sed 's/ group .*//'; ferrite inspect late.fx --device $device --stage wrap | grep -e ^kernel -e ^extern -e ^copy | sed 's/\(k_[a-z_]*\)_[0-9a-f]* (/\1 (/; s/ ints.*//; s/\[[0-9,]*\]{[0-9,]*}//g'; done; ferrite inspect brought.fx --device opencl --stage wrap | grep -e ^kernel | sed 's/\(k_[a-z_]*\)_[0-9a-f]* (/\1 (/; s/ ints.*//'
--file late.fx--
graph main {
  placeholder %x user "x" : f32[256,256]
  placeholder %y user "y" : f32[256,256]
  %c = aten.sort.default(%y) : (f32[256,256], i64[256,256])
  %v = _operator.getitem(%c, 0) : f32[256,256]
  %m = aten.mm.default(%x, %x) : f32[256,256]
  %s = aten.add.Tensor(%m, %v) : f32[256,256]
  output (user %s)
}
--file brought.fx--
graph main {
  placeholder %x user "x" : f32[256,256]
  placeholder %y user "y" : f32[256,256]
  %m = aten.mm.default(%x, %x) : f32[256,256]
  %s = aten.add.Tensor(%m, %y) : f32[256,256]
  output (user %s)
}
--out--
group 1 kernel outer [i0 < 256, i1 < 256] vector outer
group 4 kernel outer [] vector inner
refuse 2 4 waits
copy @x -> @buf3 async
kernel k_sum_mul (@buf3, @buf4)
extern sort (@y) -> (@buf2, none)
copy @buf2 -> @buf5 async
kernel k_add (@buf4, @buf5, @buf6)
copy @buf6 -> @buf7 async
extern sort (@y) -> (@buf2, none)
extern bmm (@x, @x, none) -> (@buf3)
kernel k_sum_mul_add (@buf2, @buf4, @buf5)
