# an input that gets a new value shares no element with another input: told before anything is written, elements in turns are apart
--run-- ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/overlap.c -o t -ldl; ferrite compile add.fx -o m.so --quiet && ./t ./m.so
--file add.fx--
graph add {
  placeholder %x user "x" : f32[4]{2}
  placeholder %y user "y" : f32[4]{2}
  placeholder %z user "z" : f32[4]
  %a = aten.add_.Tensor(%x, 100)
  %b = aten.mul.Tensor(%y, 2)
  %c = aten.mul.Tensor(%z, 2)
  output (user %b, user %c)
}
--out--
apart: 16 20 24 28, x[0] is 100
in turns: 2 6 10 14, x[0] is 100
one tensor twice: input 'x' gets a new value, and input 'y' lies in its memory: give a copy of one of them; x[0] is 0
a part of the other: input 'x' gets a new value, and input 'y' lies in its memory: give a copy of one of them; x[0] is 8
the other dense: input 'x' gets a new value, and input 'z' lies in its memory: give a copy of one of them; x[0] is 8
others share: 32 36 40 44, x[0] is 100
--run-- ferrite compile add.fx --emit python -o made/add.py --quiet && python3 call.py
--skip-if-missing-- python3
--file call.py--
import ctypes, sys
sys.path.insert(0, "made")
import add
import ferrite_runtime as rt

for what, *at in ("apart", 0, 8, 16), ("in turns", 0, 1, 16), ("twice", 0, 0, 16), ("the other dense", 8, 0, 11):
    data = (ctypes.c_float * 24)(*range(24))
    given = [rt.Tensor(ctypes.addressof(data) + 4 * k, rt.F32, [4], [s], data) for k, s in zip(at, (2, 2, 1))]
    try:
        y = add.run(*given)
        print(what, list((ctypes.c_float * 4).from_address(y[0].address)), data[at[0]])
    except rt.InputError as error:
        print(what, error, data[at[0]])
--out--
apart [16.0, 20.0, 24.0, 28.0] 100.0
in turns [2.0, 6.0, 10.0, 14.0] 100.0
twice input 'x' gets a new value, and input 'y' lies in its memory: give a copy of one of them 0.0
the other dense input 'x' gets a new value, and input 'z' lies in its memory: give a copy of one of them 8.0
--run-- ferrite compile add.fx --emit fx -o add.json --quiet; grep -o '"ferrite.check_apart".*' add.json
--out--
"ferrite.check_apart", "args": [["x", {"node": "given__0"}], [["y", {"node": "given__1"}], ["z", {"node": "given__2"}]]]},
