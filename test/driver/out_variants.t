# out overloads: found by signature, their own argument names, dead outputs made and passed, dynamic sizes; the same in every target
--run-- cc -O2 -shared -fPIC -I$ROOT/include $ROOT/test/custom_ops/returns.c -o libreturns.so && ferrite inspect dead.fx --ops ./libreturns.so --stage wrap --isa x86-64-v4
--file dead.fx--
operators { "returns::two(Tensor x) -> (Tensor, Tensor)" "returns::one(Tensor x) -> Tensor" }
symbols { s0 in [1, 64] }
graph dead {
  range s0 in [1, 64]
  placeholder %x user "x" : f32[s0,4]
  %first = returns.two.default(%x) : (f32[s0,4], f32[s0])
  %more = _operator.getitem(%first, 0)
  %second = returns.two.default(%more) : (f32[s0,4], f32[s0])
  %sums = _operator.getitem(%second, 1)
  %y = returns.one.default(%more) : f32[s0,4]
  output (user %y, user %sums)
}
--out--
program dead
symbol s0 in [1, 64]
input  @x : f32[s0,4] strides [4,1] origin 0
temp   @buf1 : f32[s0,4] strides [4,1] origin 1
temp   @buf2 : f32[s0] strides [1] origin 1
temp   @buf3 : f32[s0,4] strides [4,1] origin 3
temp   @buf4 : f32[s0] strides [1] origin 3
temp   @buf5 : f32[s0,4] strides [4,1] origin 5
wrapper arena -1 bound -1 weights 0 kernels 0 calls 3
memory @buf2 in @buf4
memory @buf3 in @buf5
memory @buf4 output 1
memory @buf5 output 0
symbol s0 = size 0 0
alloc @buf1 live [0, 3) bytes 16*s0
note "first"
extern custom (@x[s0,4]{4,1}) -> (@buf1[s0,4]{4,1}, @buf2[s0]{1}) ints [] floats [] calls "returns_two_out" "TOO"
note "second"
extern custom (@buf1[s0,4]{4,1}) -> (@buf3[s0,4]{4,1}, @buf4[s0]{1}) ints [] floats [] calls "returns_two_out" "TOO"
note "y"
extern custom (@buf1[s0,4]{4,1}) -> (@buf5[s0,4]{4,1}) ints [] floats [] calls "returns_one_into" "TO"
free @buf1
output 0 @buf5[s0,4]{4,1}
output 1 @buf4[s0]{1}
--run-- for stage in c python graph; do ferrite inspect dead.fx --ops ./libreturns.so --stage $stage >$stage; done; grep -o 'rt_custom(.*' c; grep -o 'f.custom(.*' python; grep -o '"ferrite.custom", "args": .*"kwargs": {[^}]*}' graph; grep -c 'expected s0' c; grep -c 'check_size' python; grep -c 'ferrite.check_size' graph
--out--
rt_custom(f, "returns_two_out", returns_two_out, args, 3, out + 2, 0, 0, 0));
rt_custom(f, "returns_two_out", returns_two_out, args, 3, out + 2, 0, 0, 0));
rt_custom(f, "returns_one_into", returns_one_into, args, 2, out + 1, 0, 0, 0));
f.custom(custom_returns_two_out, [ins[0], outs[0], outs[1]], outs[2:])
f.custom(custom_returns_two_out, [ins[0], outs[0], outs[1]], outs[2:])
f.custom(custom_returns_one_into, [ins[0], outs[0]], outs[1:])
"ferrite.custom", "args": [{"node": "library"}, "returns_two_out", [{"node": "view__2"}, {"node": "view__3"}, {"node": "view__4"}]], "kwargs": {"out": []}
"ferrite.custom", "args": [{"node": "library"}, "returns_two_out", [{"node": "view__6"}, {"node": "view__7"}, {"node": "view__8"}]], "kwargs": {"out": []}
"ferrite.custom", "args": [{"node": "library"}, "returns_one_into", [{"node": "view__10"}, {"node": "view__11"}]], "kwargs": {"out": []}
1
1
1
--run-- ferrite compile dead.fx --ops ./libreturns.so -o dead.so --quiet && ferrite compile dead.fx --ops ./libreturns.so --split nodes=1 -o parts.so --quiet && ferrite compile dead.fx --ops ./libreturns.so --emit c -o model --quiet && cp libreturns.so model && sh $ROOT/test/artifact/sources.sh -O0 model ISAS=base >make.log 2>&1 && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && printf 'in 0 f32 [3,4]\nrun\nshow in 0\nshow out 0\nshow out 1\n' >script && ./call ./dead.so <script && for made in ./parts.so ./model/dead.so; do ./call $made <script >again; ./call ./dead.so <script | cmp - again; done
--out--
in 0 [3,4]{4,1}: -0.500 1.250 0.250 -0.750 1.000 0.000 -1.000 0.750 -0.250 -1.250 0.500 -0.500
out 0 [3,4]{4,1}: 1.000 4.500 2.500 0.500 4.000 2.000 0.000 3.500 1.500 -0.500 3.000 1.000
out 1 [3]{1}: 4.250 4.750 2.500
--run-- ferrite compile dead.fx --ops ./libreturns.so -o dead.so --quiet && nm -D dead.so | grep -c ' U returns_'
--out--
2
--run-- ferrite inspect numbers.fx --ops ./libreturns.so --stage wrap --isa x86-64-v4 | sed -n '/^note/,$p'
--file numbers.fx--
operators { "returns::counted(Tensor x) -> (Tensor, SymInt, bool, float)" "returns::rows(Tensor x) -> SymInt" }
graph numbers {
  placeholder %x user "x" : f32[5,4]
  %all = returns.counted.default(%x) : (f32[5,4], int u0, bool u1 == 1, float ?)
  %twice = _operator.getitem(%all, 0)
  %count = _operator.getitem(%all, 1)
  %any = _operator.getitem(%all, 2)
  %share = _operator.getitem(%all, 3)
  %ones = aten.full.default([%count], 1.5, None, None, None, None)
  %y = aten.mul.Tensor(%twice, %share)
  %dead = returns.counted.default(%y) : (f32[5,4], int u2, bool u3 == 1, float ?)
  %z = _operator.getitem(%dead, 0)
  %rows = returns.rows.default(%x) : int 5
  output (user %z, user %ones, user %count, user %any, user %share, user %rows)
}
--out--
note "all"
extern custom (@x[5,4]{4,1}) -> (@buf1[5,4]{4,1}, @buf2[]{}, @buf3[]{}, @buf4[]{}) ints [] floats [] calls "returns_counted" "T"
symbol u0 = @buf2[]{}
free @buf2
assert 0 <= u0 "a size is negative: 0 <= u0 (ones)"
symbol u1 = @buf3[]{}
free @buf3
reuse @buf1 -> @buf9 live [4, 6) at 0 bytes 80
note "y"
kernel k_mul_11c5dc (@buf1, @buf4, @buf9) ints [] m 1 n 20 cost 90
alloc @buf6 live [5, 6) at 128 bytes 8
alloc @buf7 live [5, 6) at 192 bytes 1
alloc @buf8 live [5, 6) at 256 bytes 8
note "dead"
extern custom (@buf9[5,4]{4,1}) -> (@buf5[5,4]{4,1}, @buf6[]{}, @buf7[]{}, @buf8[]{}) ints [] floats [] calls "returns_counted" "T"
free @buf6
free @buf7
free @buf8
free @buf9
alloc @buf10 live [6, 8) at 0 bytes 8
note "rows"
extern custom (@x[5,4]{4,1}) -> (@buf10[]{}) ints [] floats [] calls "returns_rows" "T"
symbol u4 = @buf10[]{}
free @buf10
assert u4 == 5 "u4 == 5 does not hold (rows)"
alloc @buf11 output 1 bytes 4*u0
note "ones"
kernel k_copy_1aa250 (@buf11) ints [] m 1 n u0 cost 31
note "output"
kernel k_copy_46c308 (@buf4, @buf12) ints [] m 1 cost 750
output 0 @buf5[5,4]{4,1}
output 1 @buf11[u0]{1}
output 2 int u0
output 3 bool u1 == 1
output 4 @buf12[]{}
output 5 int 5
--run-- ferrite run wrong.fx --ops ./libreturns.so
--file wrong.fx--
operators { "returns::rows(Tensor x) -> SymInt" }
graph wrong {
  %x = aten.zeros.default([4, 2], None, None, None, None)
  %rows = returns.rows.default(%x) : int 5
  %y = aten.full.default([5], 1.5, None, None, None, None)
  output (user %y, user %rows)
}
--err--
error: run: u0 == 5 does not hold (rows): u0 = 4
--status-- 1
# a chain of calls with several results: each dies after its last reader, whether or not the operator changes
# an argument, which is changed where it lies; so memory does not grow with the chain
--run-- ${FERRITE_TEST_CC:-cc} -rdynamic -I$ROOT/include -I$ROOT/test/artifact $ROOT/test/custom_ops/flat.c -o flat -ldl && for op in 'two.default(%x' 'seen.default(%x'; do for n in 3 30; do sh chain.sh $n "$op" >chain.fx; ferrite inspect chain.fx --ops ./libreturns.so --stage wrap --isa x86-64-v4 | grep -o '^wrapper arena .* bound [0-9]*'; ferrite compile chain.fx --ops ./libreturns.so -o chain.so --quiet && ./flat ./chain.so; done; done
--file chain.sh--
rows=${3:-64}
echo 'operators { "returns::two(Tensor x) -> (Tensor, Tensor)" "returns::seen(Tensor x, Tensor(a!)? seen=None) -> (Tensor, Tensor)" }'
test $rows = 64 || echo "symbols { $rows in [1, 100] }"
echo "graph chain { placeholder %x0 user \"x\" : f32[$rows,16]"
echo '%counts = aten.zeros.default([], torch.int64, None, None, None)'
for k in $(seq $1); do
    rest=')'
    test "$2" = 'two.default(%x' || rest=', %counts)'
    echo "%p$k = returns.$2$((k - 1))$rest : (f32[$rows,16], f32[$rows])"
    echo "%x$k = _operator.getitem(%p$k, 0)"
done
echo "output (user %x$1, user %counts) }"
--out--
wrapper arena 4352 bound 4352
holds 8456 bytes, always; pages flat; allocations none
wrapper arena 4352 bound 4352
holds 8456 bytes, always; pages flat; allocations none
wrapper arena 4352 bound 4352
holds 8456 bytes, always; pages flat; allocations none
wrapper arena 4352 bound 4352
holds 8456 bytes, always; pages flat; allocations none
--run-- for n in 3 30 300; do sh chain.sh $n 'seen.default(%x' s0 >chain.fx; ferrite compile chain.fx --ops ./libreturns.so -o chain.so --quiet && ./flat ./chain.so; done
--out--
holds 8456 bytes, always; pages flat; allocations none
holds 8456 bytes, always; pages flat; allocations none
holds 8456 bytes, always; pages flat; allocations none
--run-- sh chain.sh 2 'seen.default(%x' >chain.fx; ferrite inspect chain.fx --ops ./libreturns.so --stage wrap --isa x86-64-v4 | sed -n '/^wrapper/,$p'
--out--
wrapper arena 4352 bound 4352 weights 0 kernels 1 calls 3
memory @buf2 in @buf4
memory @buf3 output 1
memory @buf4 output 0
note "seen"
kernel k_copy_d35306 (@buf3) ints [] m 1 cost 500
alloc @buf1 live [1, 3) at 0 bytes 4096
note "seen"
extern custom (@x[64,16]{16,1}, @buf3[]{}) -> (@buf3[]{}, @buf1[64,16]{16,1}, @buf2[64]{1}) ints [] floats [] calls "returns_seen" "TM" effect
alloc @buf5 live [2, 3) at 4096 bytes 256
note "seen_1"
extern custom (@buf1[64,16]{16,1}, @buf3[]{}) -> (@buf3[]{}, @buf4[64,16]{16,1}, @buf5[64]{1}) ints [] floats [] calls "returns_seen" "TM" effect
free @buf1
free @buf5
output 0 @buf4[64,16]{16,1}
output 1 @buf3[]{}
