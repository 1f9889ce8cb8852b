# what a result depends on is decided by the example's sizes, and the run is asked whether it is so there
--run-- while read -r line; do printf 'symbols {\n  s0 in [0, inf] hint 3\n  s1 in [2, inf] hint 8\n}\ngraph main {\n  placeholder %%x user "x" : f32[s0,4]\n  placeholder %%y user "y" : f32[s1]\n'; printf '%s\n' "$line" | tr ';' '\n'; printf '  output (user %%v)\n}\n'; done | awk '/^symbols/ {n++} {print > ("g" n ".fx")}'; for n in 1 2 3 4 5 6 7 8; do ferrite inspect g$n.fx --stage loop 2>&1 | grep -e ^error -e ^output -e ^assert; done
--in--
%v = aten.diff.default(%x, 5, 0)
%v = aten.slice.Tensor(%y, 0, -5, 9223372036854775807, 1)
%v = aten.slice.Tensor(%y, 0, 0, 6, 1)
%v = aten.fft_fft.default(%y, 6)
%v = aten.unfold.default(%y, 0, 3, 1)
%v = aten.narrow.default(%y, 0, 1, 4)
%u = aten.tensor_split.sections(%y, 3, 0) ; %v = _operator.getitem(%u, 1)
%u = aten.unsqueeze.default(%y, 0) ; %v = aten.avg_pool1d.default(%u, [3], [2], [0], True)
--out--
output @buf6[max(s0 - 5, 0),4]{4,1}
output @y[min(s1, 5)]{1} + max(s1 - 5, 0)
output @y[min(s1, 6)]{1}
assert 6 <= s1 "aten.fft_fft.default: sizes are on another side of 6 <= s1 than in the example that the program was made from (v): 6 <= s1"
output @buf4[6]{1}
assert 3 <= s1 "aten.unfold.default: maximum size for tensor at dimension 0 is s1 but size is 3 (v): 3 <= s1"
output @y[s1 - 2,3]{1,1}
assert 5 <= s1 "narrow: the end lies behind the dimension: 5 <= s1 (v)" origin 2
output @y[4]{1} + 1
assert s1 % 3 == 2 "aten.tensor_split.sections: sizes are on another side of s1 % 3 == 2 than in the example that the program was made from (u): s1 % 3 == 2"
assert 2*(s1 // 3) + 2 <= s1 "sizes do not fit: 2*(s1 // 3) + 2 <= s1 does not hold (output)"
output @y[s1 // 3 + 1]{1} + s1 // 3 + 1
output @buf2[1,s1 // 2]{s1 // 2,1}
