# the same bytes from run to run: C sources, a Python module, a graph, with what lies beside them, whatever the folder, the cache and, for C,
# the number of processes; what was changed by hand in them is what is computed then
--once--
--skip-if-missing-- python3
--run-- p=$ROOT/test/cases/programs; mkdir -p far/away; for made in tiny_vit:c ragged_rows:c loops:c dynamic_mlp:python loops:fx; do m=${made%:*}; to=${made#*:}; ferrite compile $p/$m.pt2 --emit $to -o first --cache cache --quiet; (cd far/away && cp $p/$m.pt2 . && ferrite compile ./$m.pt2 --emit $to -o second --cache ../../cache --quiet && ferrite compile $m.pt2 --emit $to -o third --cache '' $(test $to = c && echo --jobs 1) --quiet); diff -r first far/away/second && diff -r first far/away/third && echo $to; rm -r first far/away/second far/away/third; done
--out--
c
c
c
python
fx
--run-- ferrite compile line.fx --emit c -o line --quiet && build() { sh $ROOT/test/artifact/sources.sh -O0 line ISAS=base >log 2>&1 || cat log; } && build && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./line/line.so <script && grep -l 2.5 line/*.c && sed -i 's/2\.5/-4.0/' line/kernels*.c && build && ./call ./line/line.so <script
--file line.fx--
graph main {
  range s0 in [2, 8]
  placeholder %x user "x" : f32[s0]
  %a = aten.mul.Tensor(%x, 2.5) : f32[s0]
  %b = aten.add.Tensor(%a, 1) : f32[s0]
  output (user %b)
}
--file script--
in 0 f32 [4] = 0 1 2 3
run
show out 0
in 0 f32 [8]
run
--out--
out 0 [4]{1}: 1.000 3.500 6.000 8.500
line/kernels_0.c
out 0 [4]{1}: 1.000 -3.000 -7.000 -11.000
--run-- ferrite compile line.fx --emit python -o line.py --quiet && sed -i 's/"s0", s0, 2, 8)/"s0", s0, 2, 6)/' line.py && python3 call.py
--file call.py--
import ctypes, sys
sys.path.insert(0, ".")
import line
import ferrite_runtime as rt

data = (ctypes.c_float * 8)(*range(8))
for n in 4, 8:
    try:
        y = line.run(rt.Tensor(ctypes.addressof(data), rt.F32, (n,), (1,), data))
        print((ctypes.c_float * n).from_address(y.address)[:])
    except rt.InputError as error:
        print(error)
--out--
[1.0, 3.5, 6.0, 8.5]
input 'x' has size 8 in dimension 0: s0 must be in [2, 6]
