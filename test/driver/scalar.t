# C sources in plain C11, when that is asked for: nothing in them is beyond the standard, and they compute what is
# recorded, also without what C11 leaves to the compiler (atomic operations, threads, complex numbers)
--once--
--run-- cases=$ROOT/test/cases; sh $ROOT/test/artifact/scalar.sh "cc -pedantic-errors -Wall -Werror" $cases/ops/attention.pt2 $cases/ops/conv2d_groups.pt2 $cases/ops/float16_arithmetic.pt2 $cases/ops/fourier_one_dimension.pt2 $cases/ops/integer_arithmetic.pt2 $cases/ops/linalg_triangular.pt2 $cases/ops/running.pt2 $cases/ops/topk_and_sort.pt2 $cases/programs/dynamic_attention.pt2 $cases/programs/dynamic_mlp.pt2 $cases/programs/small_resnet.pt2 $cases/programs/sizes_of_arms.pt2
--out--
attention: as recorded
conv2d_groups: as recorded
float16_arithmetic: as recorded
fourier_one_dimension: as recorded
integer_arithmetic: as recorded
linalg_triangular: as recorded
running: as recorded
topk_and_sort: as recorded
dynamic_attention: as recorded
dynamic_mlp: as recorded
small_resnet: as recorded
sizes_of_arms: as recorded
--run-- sh $ROOT/test/artifact/scalar.sh "cc -pedantic-errors -Wall -Werror -D__STDC_NO_ATOMICS__ -D__STDC_NO_THREADS__ -D__STDC_NO_COMPLEX__" $ROOT/test/cases/programs/tiny_bert.pt2
--out--
tiny_bert: as recorded
