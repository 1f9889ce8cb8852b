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
error: quantise: quantize: a weight is int8, int4 or float, not 'int5'
  help: int8, or for some alone: lm_head=int8, layers.*=int4
error: quantise: quantize: 'no.such' is the name of no weight that can be integers
  help: names are those of parameters (layers.0.wq.weight, layers.*) or modules (lm_head)
error: quantise: quantize: it is a pass, and there are none
