# 157322: whatever names, messages and file names hold (quotes, backslashes, ends of comments, trigraphs, line ends), it
# stays inside the comment, docstring or text that it stands in: C, Python and the graph can be read, and say it as it is
--skip-if-missing-- python3
--run-- name='q""" *\ %s $HOME ??" '"'"'.wrap'; cat >"$name"; for to in 'so -o quotes.so' 'c -o src' 'python -o made.py' 'fx -o made.json'; do ferrite compile "$name" --from wrap --quiet --emit $to || echo no $to; done; sh $ROOT/test/artifact/sources.sh -O0 src ISAS=base >log 2>&1 || cat log; python3 -c 'import json, made; print(made.__doc__.split(": 1")[0]); print([n["args"][1] for n in json.load(open("made.json"))["graphs"]["main"] if n.get("target") == "ferrite.check"])'
--in--
program quotes
input @x : i64[] strides []
temp @y : i64[1] strides [1]
wrapper arena 0 bound 0 weights 0 kernels 0 calls 1
memory @y output 0
symbol u0 = @x[]{}
note "a \"\"\" b */ c \\ d\n#include <none> ??/"
assert u0 <= 4 "quotes \"\"\", a slash \\, ends */ /* , ??/ ??\" %d, \n a line, \x01f"
extern copy (@x[1]{1}) -> (@y[1]{1}) ints [0] floats []
output 0 @y[1]{1}
--out--
quotes, made by ferrite 0.1 from q""" *\ %s $HOME ??" '.wrap
['quotes """, a slash \\, ends */ /* , ??/ ??" %d, \n a line, \x01f']
--run-- ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl; printf 'in 0 i64 [] = 5\nrun\nin 0 i64 [] = 3\nrun\nshow out 0\n' >script; for so in ./quotes.so ./src/quotes.so; do ./call $so <script | od -An -c | tr -s ' '; done | sort | uniq -c; cat >call.py && python3 call.py
--in--
import ctypes, made, ferrite_runtime as rt
data = ctypes.c_int64(5)
try:
    made.run(rt.Tensor(ctypes.addressof(data), rt.I64, (), (), data))
except Exception as error:
    print([str(error)])
--out--
      2  " " " , a s l a s h \ ,
      2  / ? ? " % d , \n a l i
      2  0 0 \n
      2  e n d s * / / * , ? ?
      2  f a i l e d 4 : q u o t e s
      2  n e , 001 f : u 0 = 5 \n o
      2  u t 0 [ 1 ] { 1 } : 3 . 0
['quotes """, a slash \\, ends */ /* , ??/ ??" %d, \n a line, \x01f: u0 = 5']
