# weights of linear maps become integers: products of rows and columns, tied embeddings, embeddings that are named; bits that fit
# the depth; what is small, or read by something else, stays: weights less than 32 deep or of less than 1024 elements, and those with what is not finite
--run-- ferrite inspect $ROOT/test/cases/programs/layers_to_quantise.pt2 --stage fx --quantize int4 --quantize other=int8 --verify | grep 'quantised_linear.d\|linear.d\|embedding.d\|_weight_rows\|_weight_row_s\|head.*integers"' | sed 's/ : \(f32\|bf16\|i8\)\[[^ ]*$/ : \1/'
--out--
  placeholder %p_head_weight_integers constant "p_head_weight_integers" : i8
  placeholder %p_head_weight_rows constant "p_head_weight_rows" : i8
  placeholder %p_head_weight_row_scales constant "p_head_weight_row_scales" : f32
  placeholder %p_other_weight_rows constant "p_other_weight_rows" : i8
  placeholder %p_other_weight_row_scales constant "p_other_weight_row_scales" : f32
  %embedding_2 = aten.embedding.default(%p_head_weight_rows, %words, -1, False, False) : i8[3,s4,64]{64*max(s4, 1),64,1}@51
  %embedding_3 = aten.embedding.default(%p_head_weight_row_scales, %words, -1, False, False) : f32[3,s4,1]{max(s4, 1),1,1}@52
  %quantised_linear = ferrite.quantised_linear.default(%mul, %p_up_weight_integers, %p_up_weight_scales, %p_up_weight_zeros, %p_up_bias, 4) : f32[3,s4,72]{72*max(s4, 1),72,1}@55
  %quantised_linear_1 = ferrite.quantised_linear.default(%slice_1, %p_up_weight_integers, %p_up_weight_scales, %p_up_weight_zeros, %p_up_bias, 4) : f32[3,s4,72]{72*max(s4, 1),72,1}@56
  %quantised_linear_2 = ferrite.quantised_linear.default(%gelu, %p_down_weight_integers, %p_down_weight_scales, None, %p_down_bias, 8) : f32[3,s4,64]{64*max(s4, 1),64,1}@57
  %quantised_linear_3 = ferrite.quantised_linear.default(%add, %p_head_weight_integers, %p_head_weight_scales, %p_head_weight_zeros, None, 4) : f32[3,s4,48]{48*max(s4, 1),48,1}@58
  %quantised_linear_4 = ferrite.quantised_linear.default(%to, %p_rounded_weight_integers, %p_rounded_weight_scales, %p_rounded_weight_zeros, %p_rounded_bias, 4) : bf16[3,s4,32]{32*max(s4, 1),32,1}@59
  %quantised_linear_5 = ferrite.quantised_linear.default(%x, %p_columns_integers, %p_columns_scales, %p_columns_zeros, None, 4) : f32
  %embedding = aten.embedding.default(%p_other_weight_rows, %words, -1, False, False) : i8[3,s4,32]{32*max(s4, 1),32,1}@61
  %embedding_4 = aten.embedding.default(%p_other_weight_row_scales, %words, -1, False, False) : f32[3,s4,1]{max(s4, 1),1,1}@62
  %linear_5 = aten.linear.default(%add, %p_small_weight, %p_small_bias) : f32[3,s4,8]{8*max(s4, 1),8,1}@28
  %linear_6 = aten.linear.default(%x, %p_watched_weight, %p_watched_bias) : f32
--run-- for q in int8 float 'int8 --quantize *=float' 'head=int8' 'int4 --quantize p_up_weight=int8 --quantize *down.weight=float'; do ferrite inspect $ROOT/test/cases/programs/layers_to_quantise.pt2 --stage fx --quantize $q | grep 'quantised_linear.d' | sed 's/.*\(%p_[a-z]*\)_weight_in.*\([48]\)).*/\1 \2/; s/.*%p_columns_.*\([48]\)).*/%p_columns \1/' | tr '\n' ' '; echo; done
--out--
%p_up 8 %p_up 8 %p_down 8 %p_head 8 %p_rounded 8 %p_columns 8 


%p_head 8 
%p_up 8 %p_up 8 %p_head 4 %p_rounded 4 %p_columns 4 
--run-- ones=$(yes 0.5 | head -992 | paste -sd,); for w in "32,32 $(seq -s, 1 32),$ones" "32,32 inf,$(seq -s, 2 32),$ones" "64,16 $(seq -s, 1 32),$ones" "16,32 $(yes 1 | head -512 | paste -sd,)"; do set -- $w; k=${1#*,}; printf 'graph g {\n placeholder %%w constant "w" : f32[%s] data [%s]\n placeholder %%x user "x" : f32[2,%s]\n %%y = aten.linear.default(%%x, %%w, None)\n output (user %%y)\n}' $1 $2 $k | ferrite inspect - --stage fx --quantize int4 | grep ' = '; done
--out--
  %quantised_linear = ferrite.quantised_linear.default(%x, %w_integers, %w_scales, %w_zeros, None, 4) : f32[2,32]{32,1}@7
  %y = aten.linear.default(%x, %w, None) : f32[2,32]{32,1}@3
  %y = aten.linear.default(%x, %w, None) : f32[2,64]{64,1}@3
  %y = aten.linear.default(%x, %w, None) : f32[2,16]{16,1}@3
--run-- for q in int5 no.such=int8 small=int8 'int8 --no-passes'; do ferrite inspect $ROOT/test/cases/programs/layers_to_quantise.pt2 --stage fx --quantize $q 2>&1 | grep 'quantis\|quantiz\|help'; done; true
--out--
error: quantise: quantize: a weight is int8, int8-dynamic, int4 or float, not 'int5'
  help: int8, or for some alone: lm_head=int8, layers.*=int4
error: quantise: quantize: 'no.such' is the name of no weight that can be integers
  help: names are those of parameters (layers.0.wq.weight, layers.*) or modules (lm_head)
error: quantise: quantize: it is a pass, and there are none
--run-- ones=$(yes 0.5 | head -1024 | paste -sd,); printf "graph g {\n placeholder %%a constant \"a\" : f32[32,32] data [$ones]\n placeholder %%c constant \"c\" : f32[32,32] data [1,$(echo $ones | cut -c5-)]\n placeholder %%d constant \"d\" : f16[32,32] data [$ones]\n placeholder %%x user \"x\" : f32[s0,2,32]\n placeholder %%h user \"h\" : f16[32]\n placeholder %%b constant \"b\" : f16[32] data [$(echo $ones | cut -c1-127)]\n %%y = aten.linear.default(%%x, %%a, None)\n %%z = aten.matmul.default(%%x, %%c)\n %%v = aten.linear.default(%%h, %%d, %%b)\n output (user %%y, user %%z, user %%v)\n}" | ferrite inspect - --stage fx --quantize int8-dynamic --verify | grep ' = \|output'
--in--
# activations too: each row by its largest magnitude, once for all weights that read it; halves are floats on the way
--out--
  %abs = aten.abs.default(%x) : f32[s0,2,32]{64,32,1}@16
  %amax = aten.amax.default(%abs, [2], True) : f32[s0,2,1]{2,1,1}@17
  %mul = aten.mul.Tensor(%amax, 0.007874015748031496) : f32[s0,2,1]{2,1,1}@18
  %clamp_min = aten.clamp_min.default(%mul, 7.888609052210118e-31) : f32[s0,2,1]{2,1,1}@19
  %reciprocal = aten.reciprocal.default(%clamp_min) : f32[s0,2,1]{2,1,1}@20
  %mul_1 = aten.mul.Tensor(%x, %reciprocal) : f32[s0,2,32]{64,32,1}@21
  %round = aten.round.default(%mul_1) : f32[s0,2,32]{64,32,1}@22
  %convert_element_type = prims.convert_element_type.default(%round, torch.int8) : i8[s0,2,32]{64,32,1}@23
  %integer_linear = ferrite.integer_linear.default(%convert_element_type, %a_integers) : i32[s0,2,32]{64,32,1}@24
  %reshape = aten.reshape.default(%a_scales, [32]) : f32[32]{1}@11
  %convert_element_type_1 = prims.convert_element_type.default(%integer_linear, torch.float32) : f32[s0,2,32]{64,32,1}@25
  %mul_2 = aten.mul.Tensor(%convert_element_type_1, %clamp_min) : f32[s0,2,32]{64,32,1}@26
  %mul_3 = aten.mul.Tensor(%mul_2, %reshape) : f32[s0,2,32]{64,32,1}@27
  %integer_linear_1 = ferrite.integer_linear.default(%convert_element_type, %c_integers) : i32[s0,2,32]{64,32,1}@36
  %reshape_1 = aten.reshape.default(%c_scales, [32]) : f32[32]{1}@13
  %convert_element_type_3 = prims.convert_element_type.default(%integer_linear_1, torch.float32) : f32[s0,2,32]{64,32,1}@37
  %mul_6 = aten.mul.Tensor(%convert_element_type_3, %clamp_min) : f32[s0,2,32]{64,32,1}@38
  %mul_7 = aten.mul.Tensor(%mul_6, %reshape_1) : f32[s0,2,32]{64,32,1}@39
  %convert_element_type_4 = prims.convert_element_type.default(%h, torch.float32) : f32[32]{1}@40
  %abs_2 = aten.abs.default(%convert_element_type_4) : f32[32]{1}@41
  %amax_2 = aten.amax.default(%abs_2, [0], True) : f32[1]{1}@42
  %mul_8 = aten.mul.Tensor(%amax_2, 0.007874015748031496) : f32[1]{1}@43
  %clamp_min_2 = aten.clamp_min.default(%mul_8, 7.888609052210118e-31) : f32[1]{1}@44
  %reciprocal_2 = aten.reciprocal.default(%clamp_min_2) : f32[1]{1}@45
  %mul_9 = aten.mul.Tensor(%convert_element_type_4, %reciprocal_2) : f32[32]{1}@46
  %round_2 = aten.round.default(%mul_9) : f32[32]{1}@47
  %convert_element_type_5 = prims.convert_element_type.default(%round_2, torch.int8) : i8[32]{1}@48
  %integer_linear_2 = ferrite.integer_linear.default(%convert_element_type_5, %d_integers) : i32[32]{1}@49
  %reshape_2 = aten.reshape.default(%d_scales, [32]) : f32[32]{1}@15
  %convert_element_type_6 = prims.convert_element_type.default(%integer_linear_2, torch.float32) : f32[32]{1}@50
  %mul_10 = aten.mul.Tensor(%convert_element_type_6, %clamp_min_2) : f32[32]{1}@51
  %mul_11 = aten.mul.Tensor(%mul_10, %reshape_2) : f32[32]{1}@52
  %add = aten.add.Tensor(%mul_11, %b, 1) : f32[32]{1}@53
  %convert_element_type_7 = prims.convert_element_type.default(%add, torch.float16) : f16[32]{1}@54
  output (user %mul_3, user %mul_7, user %convert_element_type_7)
