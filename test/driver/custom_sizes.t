# operators whose results are as large as the data says: the function says the sizes and gets memory, the sizes give their values to the program's symbols, of which the ranges are checked
--run-- cc -shared -fPIC -I$ROOT/include $ROOT/test/custom_ops/sizes.c -o libsizes.so; ferrite inspect known.fx --ops libsizes.so --stage loop >loop && ferrite inspect loop --from loop --stage loop | diff loop - && ferrite inspect loop --from loop --stage wrap >wrap && ferrite inspect wrap --from wrap --stage wrap | diff wrap - && sed -n '/^wrapper/,$p' wrap | grep -v ^kernel
--file known.fx--
operators {
  "sizes::counted(Tensor x) -> (SymInt, Tensor)"
  "sizes::by_sign(Tensor x, Tensor(a!)? seen=None) -> Tensor[]"
}
symbols {
  u0 unbacked in [0, 12]
  u1 unbacked in [0, 12]
  u2 unbacked in [0, 12]
}
graph known {
  range u0 in [0, 12]
  range u1 in [0, 12]
  range u2 in [0, 12]
  placeholder %x user "x" : f32[4,3]
  placeholder %seen user "seen" : i64[]
  %pair = sizes.counted.default(%x) : (int u0, f32[u0])
  %count = _operator.getitem(%pair, 0)
  %some = _operator.getitem(%pair, 1)
  %signs = sizes.by_sign.default(%x, %seen) : (f32[u1], f32[u2])
  %above = _operator.getitem(%signs, 1)
  %all = aten.cat.default([%some, %above], 0)
  output (user %all, user %count)
}
--out--
wrapper arena 192 bound 192 weights 0 kernels 1 calls 6
memory @buf9 in @buf10 at u0
alloc @buf2 live [0, 2) at 64 bytes 8
alloc @buf3 live [0, 15) at 0 bytes 8
extern custom (@x[4,3]{3,1}) -> (@buf2[]{}, @buf3[1]{1}) ints [] floats [] calls "sizes_counted" "T" makes [1 f32 key 3]
symbol u0 = @buf2[]{}
free @buf2
assert 0 <= u0 "0 <= u0 does not hold (pair)"
assert u0 <= 12 "u0 <= 12 does not hold (pair)"
symbol u3 = @buf3[]{}
assert u3 == u0 "u3 == u0 does not hold (pair)"
alloc @buf5 live [6, 17) at 64 bytes 8
alloc @buf6 live [6, 14) at 128 bytes 8
extern custom (@x[4,3]{3,1}, @seen[]{}) -> (@seen[]{}, @buf5[1]{1}, @buf6[1]{1}) ints [] floats [] calls "sizes_by_sign" "TM" effect makes [0 f32 key 5, 1 f32 key 6]
symbol u1 = @buf5[]{}
assert 0 <= u1 "0 <= u1 does not hold (by_sign)"
assert u1 <= 12 "u1 <= 12 does not hold (by_sign)"
symbol u2 = @buf6[]{}
assert 0 <= u2 "0 <= u2 does not hold (by_sign)"
assert u2 <= 12 "u2 <= 12 does not hold (by_sign)"
alloc @buf10 output 0 bytes 4*u0 + 4*u2
extern take (@buf6[1]{1}) -> (@buf9[u2]{1}) ints [6] floats []
free @buf6
place 1
alloc @buf4 live [14, 16) segment 1 bytes 4*u0
extern take (@buf3[1]{1}) -> (@buf4[u0]{1}) ints [3] floats []
free @buf3
free @buf4
alloc @buf8 live [16, 17) segment 1 bytes 4*u1
extern take (@buf5[1]{1}) -> (@buf8[u1]{1}) ints [5] floats []
free @buf5
free @buf8
output 0 @buf10[u0 + u2]{1}
output 1 int u0
--run-- for stage in c python graph; do ferrite inspect known.fx --ops ./libsizes.so --stage $stage >$stage; done; grep -o 'rt_custom(f, "sizes_by.*' c; grep -o 'f.custom(custom_sizes_by.*' python; grep -o '"out": .*"made": [^}]*' graph | sed 's/"out": .*"made"/"made"/'
--out--
rt_custom(f, "sizes_by_sign", sizes_by_sign, args, 2, out + 1, 2, (const rt_made[]){{0, 7, 5}, {1, 7, 6}}, 2));
f.custom(custom_sizes_by_sign, [ins[0], outs[0]], outs[1:], made=((0, 7, 5), (1, 7, 6), ))
"made": [[1, 7, 3]]
"made": [[0, 7, 5], [1, 7, 6]]
--run-- ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl; printf 'in 0 f32 [4,3]\nin 1 i64 []\nrun\nshow out 0\nshow out 1\nrun\nshow out 0\n' >script; ferrite compile known.fx --ops ./libsizes.so -o known.so --quiet && ferrite compile known.fx --ops ./libsizes.so --split nodes=1 -o parts.so --quiet && ferrite compile known.fx --ops ./libsizes.so --emit c -o model --quiet && cp libsizes.so model && sh $ROOT/test/artifact/sources.sh -O0 model ISAS=base >make.log 2>&1; ./call ./known.so <script; for made in ./parts.so ./model/known.so; do ./call $made <script >again; ./call ./known.so <script | cmp - again; done
--out--
out 0 [10]{1}: 1.250 0.250 1.000 0.750 0.500 1.250 0.250 1.000 0.750 0.500
out 1 []{}: 5.000
out 0 [10]{1}: 1.250 0.250 1.000 0.750 0.500 1.250 0.250 1.000 0.750 0.500
--run-- ferrite run unknown.fx --ops libsizes.so --output-dir out --quiet; ferrite inspect unknown.fx --ops libsizes.so --stage fx | grep 'positive\|cos'
--file unknown.fx--
graph unknown {
  %x = aten.ones.default([2, 3], None, None, None, None)
  %some = sizes.positive.default(%x)
  %y = aten.cos.default(%some)
  output (user %y)
}
--out--
  "sizes::positive(Tensor x) -> Tensor"
  %some = sizes.positive.default(%x) : f32[u0]{1}@2
  %y = aten.cos.default(%some) : f32[u0]{1}@3
--run-- for n in range fixed none much; do ferrite run $n.fx --ops libsizes.so 2>&1; done
--file range.fx--
symbols { u0 unbacked in [0, 5] }
graph range {
  range u0 in [0, 5]
  %x = aten.ones.default([2, 3], None, None, None, None)
  %y = sizes.positive.default(%x) : f32[u0]
  output (user %y)
}
--file fixed.fx--
symbols { u0 unbacked in [0, 9] }
graph fixed {
  range u0 in [0, 9]
  %x = aten.ones.default([2, 3], None, None, None, None)
  %t = sizes.places.default(%x) : (f32[2,3], i64[u0,3], f32[u0])
  %y = _operator.getitem(%t, 1)
  output (user %y)
}
--file none.fx--
graph none {
  %x = aten.ones.default([2, 3], None, None, None, None)
  %y = sizes.none.default(%x, 0)
  output (user %y)
}
--file much.fx--
graph much {
  %x = aten.ones.default([2, 3], None, None, None, None)
  %y = sizes.none.default(%x, 1000000000000000)
  output (user %y)
}
--out--
error: run: u0 <= 5 does not hold (y): u0 = 6
error: run: u1 == 3 does not hold (t): u1 = 2
error: run: sizes_none: it has no memory for result 0 (fe_op_call.allocate)
error: run: sizes_none: no memory
--status-- 1
--run-- ferrite inspect out.fx --stage loop 2>&1
--file out.fx--
operators { "a::f(Tensor x) -> Tensor" "a::f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)" }
symbols { u0 unbacked in [0, 9] }
graph out {
  range u0 in [0, 9]
  placeholder %x user "x" : f32[4]
  %y = a.f.default(%x) : f32[u0]
  output (user %y)
}
--out--
error: lower: cannot lower a.f.default: no library that was given has a function for a.f.default
  at %y in graph out
  help: replace it in the model, or register the operator as a custom operator with its own kernel
--status-- 1
--run-- ${FERRITE_TEST_CC:-cc} -rdynamic -I$ROOT/include -I$ROOT/test/artifact $ROOT/test/custom_ops/flat.c -o flat -ldl; for n in 3 30; do sh chain.sh $n >chain.fx; ferrite compile chain.fx --ops ./libsizes.so -o chain.so --quiet && ./flat ./chain.so; done
--file chain.sh--
echo 'graph chain { placeholder %x0 user "x" : f32[64,16]'
for k in $(seq $1); do
    echo "%p$k = sizes.positive.default(%x$((k - 1)))"
    echo "%s$k = aten.sum.default(%p$k)"
    echo "%x$k = aten.add.Tensor(%x$((k - 1)), %s$k)"
done
echo "output (user %x$1) }"
--out--
holds 4163 bytes, always; pages flat; allocations none
holds 4190 bytes, always; pages flat; allocations none
