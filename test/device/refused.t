# a device that no kernels are made for is refused by name, and so is a target that has no devices
--run-- for d in opengl opencl:x opencl; do ferrite compile p.fx --device $d -o p.py; done; ferrite compile q.fx -o q.so
--status-- 1
--file p.fx--
graph main {
  placeholder %x user "x" : f32[8,8]
  %e = aten.exp.default(%x) : f32[8,8]
  output (user %e)
}
--file q.fx--
graph main {
  placeholder %x user "x" : f32[8,8]:xpu0
  %e = aten.exp.default(%x) : f32[8,8]:xpu0
  output (user %e)
}
--err--
error: lower: device: kernels are made for no device 'opengl'
  help: devices: recorded, cpu, opencl, cuda, mps, privateuseone (ferrite_device.h); with :N the one of that number
error: lower: device: kernels are made for no device 'opencl:x'
  help: devices: recorded, cpu, opencl, cuda, mps, privateuseone (ferrite_device.h); with :N the one of that number
error: emit: %_to_copy is on opencl, and this target runs on the cpu alone
  help: with --device cpu it is made for the cpu, with --device opencl as C or a library for OpenCL; a graph (--emit fx) is made for all
error: emit: %x is on xpu0, which no kernels are made for
  help: with --device cpu it is made for the cpu, with --device opencl as C or a library for OpenCL; a graph (--emit fx) is made for all
