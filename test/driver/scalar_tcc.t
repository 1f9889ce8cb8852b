# a compiler that has neither vector types nor atomic operations builds the sources as they are, and gets plain C11
--once--
--skip-if-missing-- /usr/bin/tcc
--run-- ferrite compile $ROOT/demo/digits.pt2 --emit c -o model/ --quiet && env -i PATH=/usr/bin:/bin make -C model CC="tcc -Wall -Werror" >make.log 2>&1; ferrite compile $ROOT/demo/digits.pt2 -o digits.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && printf 'in 0 f32 [1,1,8,8]\nrun\nshow out 0\n' >script && ./call ./digits.so <script >first && ./call ./model/digits.so <script >second && cmp first second && grep -q FERRITE_SCALAR make.log && echo the same, in plain C11
--out--
the same, in plain C11
--run-- cases=$ROOT/test/cases; sh $ROOT/test/artifact/scalar.sh "tcc -Wall -Werror" $cases/ops/attention.pt2 $cases/ops/conv2d_groups.pt2 $cases/ops/float16_arithmetic.pt2 $cases/ops/integer_arithmetic.pt2 $cases/ops/running.pt2 $cases/ops/topk_and_sort.pt2 $cases/programs/dynamic_attention.pt2 $cases/programs/dynamic_mlp.pt2 $cases/programs/small_resnet.pt2
--out--
attention: as recorded
conv2d_groups: as recorded
float16_arithmetic: as recorded
integer_arithmetic: as recorded
running: as recorded
topk_and_sort: as recorded
dynamic_attention: as recorded
dynamic_mlp: as recorded
small_resnet: as recorded
