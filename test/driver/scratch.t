# what operators work in is planned: the arena has what their threads share, the context what each has alone; no call allocates, not even the first
--run-- for m in attention conv2d_stride conv_transpose2d matrix_products topk_and_sort unique_values places_of_nonzero fourier_one_dimension fourier_long_rows; do ferrite compile $ROOT/test/cases/ops/$m.pt2 -o $m.so --quiet --max-arena; done; ${FERRITE_TEST_CC:-cc} -rdynamic -I$ROOT/include $ROOT/test/artifact/scratch.c -o t -ldl -lpthread && ./t ./*.so
--out--
attention: 0 allocations, 0 more bytes held
conv2d_stride: 0 allocations, 0 more bytes held
conv_transpose2d: 0 allocations, 0 more bytes held
fourier_long_rows: 0 allocations, 0 more bytes held
fourier_one_dimension: 0 allocations, 0 more bytes held
matrix_products: 0 allocations, 0 more bytes held
places_of_nonzero: 0 allocations, 0 more bytes held
topk_and_sort: 0 allocations, 0 more bytes held
unique_values: 0 allocations, 0 more bytes held
--run-- for m in fourier_one_dimension fourier_long_rows; do ferrite compile $ROOT/test/cases/ops/$m.pt2 -o m.so | sed -n "s/^\(tables\|threads\)/$m \1/p"; done; ferrite compile $ROOT/test/cases/programs/dynamic_spectrum.pt2 -o m.so | sed -n "s/^\(tables\|threads\)/dynamic \1/p"
--out--
fourier_one_dimension threads: 17472 bytes each
fourier_one_dimension tables: 53256 bytes
fourier_long_rows threads: 59008 bytes each
fourier_long_rows tables: 83656 bytes
dynamic threads: 6656 bytes each
dynamic tables: 6032 bytes
