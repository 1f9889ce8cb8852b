# a Python module: called with nothing but Python, whatever tensors come; wrong inputs are named
--skip-if-missing-- python3
--run-- ferrite compile $ROOT/demo/digits.pt2 --emit python -o made/ --quiet && ferrite compile $ROOT/test/cases/programs/dynamic_mlp.pt2 --emit python -o made/rows.py --quiet && ls made && python3 call.py
--file call.py--
import ctypes, sys
sys.path.insert(0, "made")
import digits, rows
import ferrite_runtime as rt

def tensor(sizes, kind=ctypes.c_float, dtype=rt.F32, strides=None):
    count = 1
    for size in sizes:
        count *= size
    data = (kind * max(count, 1))(*[0.01 * i for i in range(count)])
    return rt.Tensor(ctypes.addressof(data), dtype, sizes, strides or rt._contiguous(sizes), data)

y = digits.run(tensor(digits.INPUTS[0].sizes))
print(y)
two = rows.Context(threads=1, returns="dlpack")
again = [rows.run(tensor((n, 20)), returns="dlpack") for n in (1, 64, 3)] + [two(tensor((3, 20)))]
print(again)
values = [list((ctypes.c_float * 21).from_address(t.address)) for t in again[2:]]
print(values[0] == values[1], any(values[0]))
for wrong in (tensor((65, 20)), tensor((3, 21)), tensor((20,)), tensor((2, 20), ctypes.c_double, rt.F64),
              tensor((3, 20), strides=(1, 3)), 3.5):
    try:
        rows.run(wrong)
    except rt.InputError as error:
        print(error)
try:
    rows.run()
except rt.InputError as error:
    print(error)
--out--
digits.py
digits_kernels.so
ferrite_runtime.py
rows.py
rows_kernels.so
Tensor(float32, [1, 10], strides [10, 1])
[Tensor(float32, [1, 7], strides [7, 1]), Tensor(float32, [64, 7], strides [7, 1]), Tensor(float32, [3, 7], strides [7, 1]), Tensor(float32, [3, 7], strides [7, 1])]
True True
input 'input' has size 65 in dimension 0: s31 must be in [0, 64]
input 'input' has size 21 in dimension 1, expected [s31, 20]
input 'input' has 1 dimensions, expected 2: [s31, 20]
input 'input' is float64, expected float32
input 'input' has stride 1 in dimension 0, expected 20
input 'input' is float, expected a tensor of float32
0 inputs given, dynamic_mlp takes 1
--run-- mkdir -p gone && ferrite compile $ROOT/demo/digits.pt2 --emit python -o gone/digits.py --quiet && printf x >>gone/digits_kernels.so && python3 -c 'import sys; sys.path.insert(0, "gone"); import digits' 2>&1 | tail -1 | sed 's,/[^ ]*/,,'
--out--
ImportError: digits_kernels.so does not hold the weights of this program
--status-- 1
--run-- for op in neg exp; do printf 'graph main {\n  placeholder %%x user "x" : f32[4]\n  %%y = aten.%s.default(%%x) : f32[4]\n  output (user %%y)\n}\n' $op >same.fx; mkdir -p $op; ferrite compile same.fx -o $op/same.py --quiet; done; python3 twice.py
--file twice.py--
import ctypes, os, sys, types
sys.path.insert(0, "neg")
import ferrite_runtime as rt

# a second program at the same path, in the same process: each is run by its own library, the first one on and on
x = (ctypes.c_float * 4)()
tensor = rt.Tensor(ctypes.addressof(x), rt.F32, (4,), (1,), x)

def load(folder):
    os.makedirs("here", exist_ok=True)
    for name in ("same.py", "same_kernels.so"):
        os.replace(os.path.join(folder, name), os.path.join("here", name))
    module = types.ModuleType("same")
    module.__file__ = "here/same.py"
    exec(open("here/same.py").read(), module.__dict__)
    return module

def first(module):
    result = module.run(tensor)  # it owns its memory
    return (ctypes.c_float * 4).from_address(result.address)[0]

one = load("neg")
print(first(one))
two = load("exp")
print(first(two), first(one))
--out--
-0.0
1.0 -0.0
