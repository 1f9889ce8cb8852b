# weights as integers: the line about them, and that the artifact holds these alone; how far off outputs are is
# said, not judged; the error of each in the report
--run-- for q in float int8 int8-dynamic int4; do ferrite compile $ROOT/test/cases/programs/layers_to_quantise.pt2 --quantize $q --isa x86-64-v3 -o m.so | grep '^weights\|^quantised'; done; ferrite compile $ROOT/test/cases/programs/tiny_bert.pt2 --quantize int8 -o m.so | grep '^quantised'
--out--
weights: 114560 bytes
quantised no weights: none is that of a linear layer, and large enough
weights: 53824 bytes
quantised 5 weights to int8, 61.4 kB -> 20.6 kB, weights' error 0.46 %, the largest 0.39 %
weights: 53760 bytes
quantised 5 weights to int8, 61.4 kB -> 20.6 kB, weights' error 0.46 %, the largest 0.39 %
weights: 48832 bytes
quantised 4 weights to int4 and 1 to int8, 61.4 kB -> 17.0 kB, weights' error 5.28 %, the largest 10.83 %
quantised no weights: none is that of a linear layer, and large enough
--run-- for q in float int8 int4; do ferrite inspect $ROOT/test/cases/programs/layers_to_quantise.pt2 --stage wrap --isa x86-64-v3 --quantize $q | grep '^weight .*up_weight' | sed 's/ at [0-9]*//'; done
--out--
weight 2 @p_up_weight_integers bytes 6144 packed quantised_gemm 1
weight 3 @p_up_weight_scales bytes 288
weight 2 @p_up_weight_integers bytes 3072 packed quantised_gemm 1
weight 3 @p_up_weight_scales bytes 576
weight 4 @p_up_weight_zeros bytes 576
--run-- for q in int8 int8-dynamic int4; do ferrite check $ROOT/test/cases/programs/layers_to_quantise.pt2 --quantize $q --json r.json | sed "s|$ROOT/||; s/\([0-9]*\.[0-9]\)[0-9]* %/\1 %/g"; grep -o '"message": "[a-z ]*' r.json; done; ferrite check $ROOT/test/cases/programs/tiny_bert.pt2 --quantize int8 | sed "s|$ROOT/||"
--out--
test/cases/programs/layers_to_quantise.pt2: weights are quantised: outputs are off by 0.7 %, one element by 0.9 % of the largest
1 passed, 0 failed, 0 unsupported
"message": "weights are quantised
test/cases/programs/layers_to_quantise.pt2: weights are quantised: outputs are off by 0.9 %, one element by 1.4 % of the largest
1 passed, 0 failed, 0 unsupported
"message": "weights are quantised
test/cases/programs/layers_to_quantise.pt2: weights are quantised: outputs are off by 9.3 %, one element by 11.5 % of the largest
1 passed, 0 failed, 0 unsupported
"message": "weights are quantised
test/cases/programs/tiny_bert.pt2: it has no weights to quantise
1 passed, 0 failed, 0 unsupported
--run-- ferrite report $ROOT/test/cases/programs/layers_to_quantise.pt2 -o r.html --quick --quantize int4 >/dev/null && sed -n '/id="quantised"/,/<.section>/p' r.html | grep '^<tr>' | sed 's/<[^>]*>/ /g; s/  */ /g'
--out--
 columns 4 32 64 8.0 KiB 1.5 KiB 6.86 % 7.81 % 
 head.weight 4 48 64 12.0 KiB 2.2 KiB 7.11 % 7.56 % 
 head.weight 8 48 64 0 B 3.2 KiB 0.58 % 0.39 % 
 up.weight 4 72 64 18.0 KiB 3.4 KiB 5.56 % 9.40 % 
 down.weight 8 64 72 18.0 KiB 4.8 KiB 0.39 % 0.39 % 
 rounded.weight 4 32 64 4.0 KiB 1.5 KiB 5.50 % 10.83 % 
--run-- ferrite inspect $ROOT/test/cases/programs/layers_to_quantise.pt2 --stage sched >m.sched; ferrite inspect m.sched --from sched --stage wrap --quantize int8 2>&1 || true
--out--
error: quantise: quantize: the text of this stage has weights that are laid out already
