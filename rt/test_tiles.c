/* test_tiles.c - convolutions by Winograd's algorithm. */
#include "test_conv.h"

/* Sizes that no tile divides, or less than one; more tiles than are in work at a
 * time. */
static void test_shapes(void)
{
    static const struct {
        int64_t batch, in, out, height, width, pad;
    } shapes[] = {{1, 32, 32, 8, 8, 1},  {2, 33, 31, 7, 9, 1},  {1, 16, 64, 5, 6, 0},
                  {3, 20, 100, 3, 3, 0}, {1, 40, 33, 1, 1, 1},  {2, 64, 40, 6, 11, 2},
                  {1, 3, 1, 13, 10, 1},  {1, 36, 48, 4, 50, 1}, {1, 70, 16, 2, 23, 2},
                  {5, 64, 3, 28, 28, 1}, {1, 512, 5, 25, 17, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int variant = 0; variant < 64; variant += i >= 9 ? 31 : 3) {
            conv_shape shape = {shapes[i].batch,
                                shapes[i].in,
                                shapes[i].out,
                                1,
                                {1, shapes[i].height, shapes[i].width},
                                {1, 3, 3},
                                {1, 1, 1},
                                {0, shapes[i].pad, shapes[i].pad},
                                {1, 1, 1}};
            test_conv_f32(&shape, 0, 2, variant);
            test_conv_f32(&shape, 0, 4, variant);
        }
}

/* Of results that are 16 in the root of the mean square; direct ones are 4e-6 off. */
static void test_precision(int tile, double most)
{
    enum { CHANNELS = 256, OUT = 32, SIDE = 12 };
    const conv_shape shape = {1,         CHANNELS,  OUT,       1,        {1, SIDE, SIDE},
                              {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}};
    rt_conv g = conv_of(&shape, 0);
    g.tile = tile, g.x_channel = 1, g.y_row = OUT;
    g.x[2] = CHANNELS, g.x[1] = SIDE * CHANNELS;
    float *x = make(SIDE * SIDE * CHANNELS), *weight = make(OUT * CHANNELS * 9),
          *y = make(SIDE * SIDE * OUT), *packed = make_packed(rt_conv_packed_bytes_f32(&g));
    double *want = malloc(SIDE * SIDE * OUT * sizeof *want),
           *filters = conv_filters_f32(&g, weight);
    for (int64_t m = 0; m < SIDE * SIDE; m++)
        conv_pixel_f32(&g, x, filters, 0, (int64_t[]){0, m / SIDE, m % SIDE}, want + m * OUT);
    rt_conv_pack_f32(tests.pool, &g, weight, NULL, packed);
    rt_conv_f32(&(rt_team){.pool = tests.pool}, &g, x, packed, y, NULL);
    expect_more_precise(y, want, SIDE * SIDE * OUT, most, tile == 4 ? "F(4x4,3x3)" : "F(2x2,3x3)");
    free(x), free(weight), free(y), free(packed), free(want), free(filters);
}

void test_tiles(void)
{
    test_shapes();
    test_precision(2, 5e-6);
    test_precision(4, 1.4e-5);
}
