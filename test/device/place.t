# what a device has kernels for runs there, the rest on the host: products, what the runtime computes, functions of complex numbers that their parts do not say; a tensor crosses once
--run-- ferrite inspect p.fx --device opencl:0 --stage wrap --isa baseline | sed 's/\(k_[a-z_]*\)_[0-9a-f]* (/\1 (/' | grep -e '^device' -e '^kernel' -e '^extern' -e '^copy' -e '^wait'
--file p.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  placeholder %w param "w" : f32[8,8]
  %e = aten.exp.default(%x) : f32[8,8]
  %m = aten.mm.default(%e, %w) : f32[8,8]
  %d = aten.digamma.default(%m) : f32[8,8]
  %a = aten.add.Tensor(%d, %e) : f32[8,8]
  %b = aten.mul.Tensor(%a, %w) : f32[8,8]
  %c = aten.complex.default(%a, %b) : c64[8,8]
  %r = aten.exp.default(%c) : c64[8,8]
  output (user %b, user %r)
}
--out--
copy @x[8,8]{8,1} -> @buf2[8,8]{8,1} async
device opencl 0
kernel k_exp (@buf2, @buf3) ints [] m 1 n 64 cost 2950
kernel k_sum_mul (@buf3, @w.opencl0, @buf5) ints [] m 64 cost 9320
copy @buf5[8,8]{8,1} -> @buf6[8,8]{8,1} async
copy @buf3[8,8]{8,1} -> @buf7[8,8]{8,1} async
wait @buf6
wait @buf7
device cpu
kernel k_digamma_add (@buf6, @buf7, @buf8) ints [] m 1 n 64 cost 12780
copy @buf8[8,8]{8,1} -> @buf9[8,8]{8,1} async
wait @buf8
device opencl 0
kernel k_mul (@buf9, @w.opencl0, @buf10, @buf11) ints [] m 1 n 64 cost 2120
copy @buf10[8,8]{8,1} -> @buf13[8,8]{8,1} async
copy @buf11[8,8]{8,1} -> @buf12[8,8]{8,1} async
wait @buf12
device cpu
kernel k_exp (@buf12, @buf14) ints [] m 1 n 64 cost 2950
wait @buf13
wait @x
--status-- 0
