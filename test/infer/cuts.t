# slices of dimensions that may be shorter than their bounds have the sizes that eager gives them at every size, 0 and 1
# included; what is 0 or 1 long repeats where it is 1
--run-- while read -r line; do printf 'symbols {\n  s0 in [0, inf] hint 8\n  s1 in [2, inf] hint 8\n}\ngraph main {\n  placeholder %%x user "x" : f32[s0,4]\n  placeholder %%y user "y" : f32[s0,60]\n  placeholder %%z user "z" : f32[s1,4]\n'; printf '%s\n' "$line" | tr ';' '\n'; printf '  output (user %%v)\n}\n'; done | awk '/^symbols/ {n++} {print > ("g" n ".fx")}'; for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do ferrite inspect g$n.fx --stage loop 2>&1 | grep -e ^error -e ^output -e ^assert; done
--in--
%v = aten.slice.Tensor(%x, 0, 1, 9223372036854775807, 1)
%v = aten.slice.Tensor(%x, 0, 0, -1, 1)
%v = aten.slice.Tensor(%x, 0, -2, 9223372036854775807, 1)
%v = aten.slice.Tensor(%x, 0, -7, -2, 1)
%v = aten.slice.Tensor(%x, 0, 3, 9, 2)
%v = aten.slice.Tensor(%z, 0, 1, 9223372036854775807, 1)
%v = aten.slice.Tensor(%z, 0, 0, 2, 1)
%n = aten.sym_size.int(%y, 0) ; %m = _operator.mul(%n, 3) ; %e = _operator.sub(%m, 2) ; %v = aten.slice.Tensor(%y, 1, 0, %e, 1)
%n = aten.sym_size.int(%x, 0) ; %v = aten.slice.Tensor(%z, 0, %n, 9223372036854775807, 1)
%a = aten.slice.Tensor(%x, 0, 1, 9223372036854775807, 1) ; %b = aten.slice.Tensor(%x, 0, 0, -1, 1) ; %v = aten.sub.Tensor(%a, %b)
%a = aten.slice.Tensor(%x, 0, 0, 1, 1) ; %v = aten.add.Tensor(%x, %a)
%a = aten.slice.Tensor(%x, 0, 0, 1, 1) ; %v = aten.add.Tensor(%z, %a)
%n = aten.sym_size.int(%x, 0) ; %a = aten.slice.Tensor(%x, 0, 0, 1, 1) ; %v = aten.expand.default(%a, [%n, 4])
%u = aten.tensor_split.indices(%x, [3, 1], 0) ; %v = _operator.getitem(%u, 1)
%u = aten.tensor_split.indices(%x, [1, 3], 0) ; %v = _operator.getitem(%u, 1)
%v = aten.constant_pad_nd.default(%x, [0, 0, 2, -1], 0.0)
%v = aten.diff.default(%x, 2, 0)
%i = aten.arange.default(1, dtype=i64, device=cpu) ; %v = aten.index_select.default(%x, 0, %i)
--out--
output @x[max(s0 - 1, 0),4]{4,1} + 4*min(s0, 1)
output @x[max(s0 - 1, 0),4]{4,1}
output @x[min(s0, 2),4]{4,1} + 4*max(s0 - 2, 0)
output @x[max(min(s0 - 2, 5), 0),4]{4,1} + 4*max(s0 - 7, 0)
output @x[(max(min(s0, 9) - 3, 0) + 1) // 2,4]{8,1} + 4*min(s0, 3)
output @z[s1 - 1,4]{4,1} + 4
output @z[2,4]{4,1}
output @y[s0,max(min(3*s0 - 60*max(min(3*s0 - 2, 0), -1) - 2, 60), 0)]{60,1}
output @z[max(-s0 + s1, 0),4]{4,1} + 4*min(s0, s1)
output @buf3[max(s0 - 1, 0),4]{4,1}
output @buf3[s0,4]{4,1}
assert 1 <= min(s0, 1) "aten.add.Tensor: The expanded size of the tensor (s1) must match the existing size (min(s0, 1)) (v): 1 <= min(s0, 1)"
output @buf3[s1,4]{4,1}
output @x[s0,4]{0,1}
output @buf3[0,4]{4,1}
output @x[max(min(s0, 3) - 1, 0),4]{4,1} + 4*min(s0, 1)
assert 0 <= s0 - 1 "aten.constant_pad_nd.default: narrow(): length must be non-negative: f32[s0,4] (v): 0 <= s0 - 1"
output @buf3[s0 + 1,4]{4,1}
output @buf4[max(s0 - 2, 0),4]{4,1}
assert 1 <= s0 "aten.index_select.default: index_select(): self indexing axis dim should be positive (v): 1 <= s0"
output @buf3[1,4]{4,1}
