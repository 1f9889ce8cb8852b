# weights as integers: the line about them, and that the artifact holds these alone; how far off outputs are is said, not judged
--run-- for q in float int8 int4; do ferrite compile $ROOT/test/cases/programs/layers_to_quantise.pt2 --quantize $q --isa x86-64-v3 -o m.so | grep '^weights\|^quantised'; done; ferrite compile $ROOT/test/cases/programs/tiny_bert.pt2 --quantize int8 -o m.so | grep '^quantised'
--out--
weights: 118656 bytes
quantised no weights: none is that of a linear layer, and large enough
weights: 53824 bytes
quantised 5 weights to int8, 61.4 kB -> 20.6 kB, weights' error 0.57 %, the largest 0.39 %
weights: 48832 bytes
quantised 4 weights to int4 and 1 to int8, 61.4 kB -> 17.0 kB, weights' error 5.56 %, the largest 10.83 %
quantised no weights: none is that of a linear layer, and large enough
--run-- for q in float int8 int4; do ferrite inspect $ROOT/test/cases/programs/layers_to_quantise.pt2 --stage wrap --isa x86-64-v3 --quantize $q | grep '^weight .*up_weight' | sed 's/ at [0-9]*//'; done
--out--
weight 2 @p_up_weight_integers bytes 6144 packed quantised_gemm 1
weight 3 @p_up_weight_scales bytes 288
weight 2 @p_up_weight_integers bytes 3072 packed quantised_gemm 1
weight 3 @p_up_weight_scales bytes 576
weight 4 @p_up_weight_zeros bytes 576
--run-- for q in int8 int4; do ferrite check $ROOT/test/cases/programs/layers_to_quantise.pt2 --quantize $q --json r.json | sed "s|$ROOT/||; s/\([0-9.]*\) %/N %/g"; grep -o '"message": "[a-z ]*' r.json; done; ferrite check $ROOT/test/cases/programs/tiny_bert.pt2 --quantize int8 | sed "s|$ROOT/||"
--out--
test/cases/programs/layers_to_quantise.pt2: weights are quantised: outputs are off by N %, one element by N % of the largest
1 passed, 0 failed, 0 unsupported
"message": "weights are quantised
test/cases/programs/layers_to_quantise.pt2: weights are quantised: outputs are off by N %, one element by N % of the largest
1 passed, 0 failed, 0 unsupported
"message": "weights are quantised
test/cases/programs/tiny_bert.pt2: it has no weights to quantise
1 passed, 0 failed, 0 unsupported
