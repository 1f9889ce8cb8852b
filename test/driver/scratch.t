# what operators work in is planned: the arena has what their threads share, the context what each has alone; no call allocates, not even the first
--run-- for m in attention conv2d_stride conv_transpose2d matrix_products topk_and_sort unique_values places_of_nonzero; do ferrite compile $ROOT/test/cases/ops/$m.pt2 -o $m.so --quiet --max-arena; done; ${FERRITE_TEST_CC:-cc} -rdynamic -I$ROOT/include $ROOT/test/artifact/scratch.c -o t -ldl -lpthread && ./t ./*.so
--out--
attention: 0 allocations, 0 more bytes held
conv2d_stride: 0 allocations, 0 more bytes held
conv_transpose2d: 0 allocations, 0 more bytes held
matrix_products: 0 allocations, 0 more bytes held
places_of_nonzero: 0 allocations, 0 more bytes held
topk_and_sort: 0 allocations, 0 more bytes held
unique_values: 0 allocations, 0 more bytes held
--run-- ferrite compile $ROOT/test/cases/ops/fourier_one_dimension.pt2 -o f.so --quiet; ./t met ./f.so
--out--
fourier_one_dimension: 0 allocations, 0 more bytes held
