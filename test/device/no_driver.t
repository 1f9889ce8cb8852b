# a device that nobody has a driver for is named when the program is run, not before
--run-- ferrite compile p.fx --device privateuseone -o p.so >/dev/null; ferrite run p.fx --device privateuseone; ferrite run p.fx --device privateuseone --devices ./p.so 2>&1 | sed 's/^error: devices: //'
--file p.fx--
graph main {
  %r = aten.rand.default([4]) : f32[4]
  %e = aten.exp.default(%r) : f32[4]
  output (user %e)
}
--out--
it has no function ferrite_device() (ferrite_device.h)
  at ./p.so
--err--
error: run: privateuseone: nobody has given its driver (fe_artifact.set_driver; option devices)
--status-- 1
