# in a Python module too, results lie in memory of their own, or where eager has them: clones, what an input gets back, a view in a tuple
--skip-if-missing-- python3
--run-- for name in clone back two views piece kept; do ferrite compile $name.fx --emit python -o made/$name.py --quiet || exit 1; done; python3 call.py
--file clone.fx--
graph clone {
  placeholder %x user "x" : f32[2,3]
  %y = aten.clone.default(%x)
  output (user %y)
}
--file back.fx--
graph back {
  placeholder %x user "x" : f32[2,3]
  %y = aten.clone.default(%x)
  %copy_ = aten.copy_.default(%x, %y)
  output (user %y)
}
--file two.fx--
graph two {
  placeholder %x user "x" : f32[2,3]
  %a = aten.neg.default(%x)
  %b = aten.clone.default(%a)
  %c = aten.clone.default(%a)
  output (user %b, user %c)
}
--file views.fx--
graph views {
  placeholder %x user "x" : f32[2,3]
  %y = aten.neg.default(%x)
  %v = aten.view.default(%y, [-1])
  %w = aten.select.int(%x, 0, 1)
  output (user %y, user %v, user %w)
}
--file piece.fx--
graph piece {
  placeholder %x user "x" : f32[2,3]
  %a = aten.constant_pad_nd.default(%x, [0, 0, 1, 1], 1.0)
  %b = aten.cumsum.default(%a, 0)
  %c = aten.slice.Tensor(%b, 0, 1, 3)
  output (user %c)
}
--file kept.fx--
graph kept {
  placeholder %x user "x" : f32[2,3]
  %row = aten.select.int(%x, 0, 0)
  %scaled = aten.mul_.Tensor(%row, 2)
  output (user %x)
}
--file call.py--
import ctypes, importlib, sys
sys.path.insert(0, "made")
import ferrite_runtime as rt

for name in "clone", "back", "two", "views", "piece", "kept":
    data = (ctypes.c_float * 6)(1, 2, 3, 4, 5, 6)
    x = rt.Tensor(ctypes.addressof(data), rt.F32, [2, 3], [3, 1], data)
    results = importlib.import_module(name).run(x)
    results = results if isinstance(results, (list, tuple)) else [results]
    for k, y in enumerate(results):
        near = [f"result {i}" for i in range(k) if abs(y.address - results[i].address) < 24]
        near += ["the input"] if abs(y.address - x.address) < 24 else []
        print(name, k, list((ctypes.c_float * 3).from_address(y.address)), "in", " and ".join(near) or "memory of its own")
    print(name, "x", list(data))
    held = [(y.address, ctypes.string_at(y.address, 12)) for y in results]
    run = importlib.import_module(name).run
    later = run(rt.Tensor(ctypes.addressof(data), rt.F32, [2, 3], [3, 1], data))
    other = (ctypes.c_float * 6)(9, 9, 9, 9, 9, 9)
    run(rt.Tensor(ctypes.addressof(other), rt.F32, [2, 3], [3, 1], other))
    print(name, "later", all(ctypes.string_at(at, 12) == was for at, was in held))
--out--
clone 0 [1.0, 2.0, 3.0] in memory of its own
clone x [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
clone later True
back 0 [1.0, 2.0, 3.0] in memory of its own
back x [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
back later True
two 0 [-1.0, -2.0, -3.0] in memory of its own
two 1 [-1.0, -2.0, -3.0] in memory of its own
two x [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
two later True
views 0 [-1.0, -2.0, -3.0] in memory of its own
views 1 [-1.0, -2.0, -3.0] in result 0
views 2 [4.0, 5.0, 6.0] in the input
views x [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
views later True
piece 0 [2.0, 3.0, 4.0] in memory of its own
piece x [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
piece later True
kept 0 [2.0, 4.0, 6.0] in the input
kept x [2.0, 4.0, 6.0, 4.0, 5.0, 6.0]
kept later False
