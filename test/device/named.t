# option place puts operators on devices by name; what crosses between two devices is copied once, and a pattern that matches nothing is said
--run-- ferrite inspect p.fx --device opencl:0 --place 'sin*=opencl:1' --place 'add*=cpu' --stage wrap --isa baseline | sed 's/\(k_[a-z_]*\)_[0-9a-f]* (/\1 (/; s/ cost.*//' | grep -e '^device' -e '^kernel' -e '^copy' -e '^wait'; for place in nix=opencl nix 'mul*=opengl'; do ferrite inspect p.fx --place "$place" --stage loop; done
--file p.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  placeholder %w param "w" : f32[8,8]
  %e = aten.exp.default(%x) : f32[8,8]
  %m = aten.mul.Tensor(%e, %w) : f32[8,8]
  %s = aten.sin.default(%m) : f32[8,8]
  %a = aten.add.Tensor(%s, %e) : f32[8,8]
  output (user %a)
}
--out--
copy @x[8,8]{8,1} -> @buf2[8,8]{8,1} async
device opencl 0
kernel k_exp_mul (@buf2, @buf3, @w.opencl0, @buf5) ints [] m 1 n 64
copy @buf5[8,8]{8,1} -> @buf6[8,8]{8,1} async
device opencl 1
kernel k_sin (@buf6, @buf7) ints [] m 1 n 64
copy @buf7[8,8]{8,1} -> @buf8[8,8]{8,1} async
copy @buf3[8,8]{8,1} -> @buf9[8,8]{8,1} async
wait @buf8
wait @buf9
device cpu
kernel k_add (@buf8, @buf9, @buf10) ints [] m 1 n 64
wait @x
--err--
error: lower: place: 'nix' is the name of no operator or module of the program
  help: patterns are of operators (aten.mul.Tensor, mul*) or modules (encoder.layers.*)
error: lower: place: 'nix' is no PATTERN=DEVICE
error: lower: place: kernels are made for no device 'opengl'
  help: devices: recorded, cpu, opencl, cuda, mps, privateuseone (ferrite_device.h); with :N the one of that number
--status-- 1
