# a Python module's segments lie in one arena and go around what is alive of earlier ones, as those of a library do
--skip-if-missing-- python3
--run-- ferrite inspect late.fx --stage python | grep ' f.place\| f.arena\|^program'; ferrite compile late.fx --emit python -o made/ --quiet && python3 call.py; ferrite compile late.fx -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -rdynamic -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so <script
--file late.fx--
graph main {
  placeholder %x user "x" : f32[64]
  placeholder %i user "i" : i64[]
  %e = aten.exp.default(%x) : f32[64]
  %c = aten.cumsum.default(%e, 0) : f32[64]
  %t = aten.sum.default(%c) : f32[]
  %b = aten.gt.Scalar(%t, 0) : bool[]
  %j = aten.add.Tensor(%i, %b) : i64[]
  %n = aten.item.default(%j) : int u0
  %f = aten.full.default([%n, 64], 2.0) : f32[u0,64]
  %g = aten.cumsum.default(%f, 0) : f32[u0,64]
  %h = aten.mul.Tensor(%g, %c) : f32[u0,64]
  %k = aten.cumsum.default(%h, 0) : f32[u0,64]
  %l = aten.flip.default(%k, [0]) : f32[u0,64]
  %m = aten.cumsum.default(%l, 0) : f32[u0,64]
  %s = aten.sum.default(%m) : f32[]
  output (user %s)
}
--file call.py--
import ctypes, sys
sys.path.insert(0, "made")
import late
import ferrite_runtime as rt

x = (ctypes.c_float * 64)()
for n in 3, 1, 5:
    i = ctypes.c_int64(n)
    s = late.run(rt.Tensor(ctypes.addressof(x), rt.F32, [64], [1], x), rt.Tensor(ctypes.addressof(i), rt.I64, [], [], i))
    print(ctypes.c_float.from_address(s.address).value, late.run.memory_bytes() + 4, "bytes with the output")
rt.LEAST_ROOM, rt.ROOM_TIMES = 1, 1  # no room to grow: later segments have memory of their own
other = late.Context()
s = other(rt.Tensor(ctypes.addressof(x), rt.F32, [64], [1], x), rt.Tensor(ctypes.addressof(i), rt.I64, [], [], i))
print(ctypes.c_float.from_address(s.address).value, other.memory_bytes() + 4)
--file script--
in 0 f32 [64] = 0
in 1 i64 [] = 3
run
show out 0
holds
in 1 i64 [] = 1
run
show out 0
holds
in 1 i64 [] = 5
run
show out 0
holds
--out--
    arena = f.arena(0, 320)
    places_1 = f.place(1, LIVES_1, ((256 * u0), (256 * u0), 256,), held=((0, None, 0),))
program = rt.Program("late", library, INPUTS, OUTPUTS, lines, WEIGHTS, 0, STATES, PARTS, grows=True)
270400.0 2052 bytes with the output
29120.0 2052 bytes with the output
1106560.0 3076 bytes with the output
1106560.0 3396
out 0 []{}: 270400.000
2052 bytes
out 0 []{}: 29120.000
2052 bytes
out 0 []{}: 1106560.000
3076 bytes
