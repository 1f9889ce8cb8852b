/* winograd.c -- which convolutions are clearly faster by Winograd's algorithm (rt/kernels/rt_winograd.c),
 * and with tiles of how many pixels a side.
 *
 * Times are estimated in multiply-adds of one thread, by measurements on shapes of ResNet and HRNet. The
 * weight comes from memory that is far away: a product of few rows waits for it, so that larger tiles, whose
 * weights have more numbers, want larger images.
 */
#include "lower/ops/conv.h"

enum {
    TAPS = 3, /* along a side of the window */
    LEAST_CHANNELS = 16,
    LEAST_ROWS = 16, /* a product of fewer waits for its weight as long */
    TRANSFORM = 12,  /* of one number, of a patch or of products */
    LANES = 16       /* channels out are worked on so many at a time */
};
/* What is more precise gives way to what takes less than this part of its time. */
static const double WORTH = 0.8;

/* Of products of so many rows for each position, with transforms around them where there are any. */
static double time_of(const lower_image *x, int64_t rows, int64_t positions, bool transforms)
{
    double in = (double)x->in, out = (double)((x->out + LANES - 1) / LANES * LANES),
           products = in * out * (double)(rows < LEAST_ROWS ? LEAST_ROWS : rows),
           around = transforms ? (double)rows * TRANSFORM * (in + out) : 0;
    return (double)positions * (products + around);
}

static int64_t tiles(int64_t size, int64_t side)
{
    return (size + side - 1) / side;
}

int64_t lower_tile_of(const lower_image *x)
{
    double least = time_of(x, x->batch * x->height * x->width, TAPS * TAPS, false);
    int64_t best = 0;
    if (x->in < LEAST_CHANNELS || x->out < LEAST_CHANNELS) return 0;
    for (int64_t side = 2; side <= 4; side += 2) {
        int64_t size = side + TAPS - 1,
                count = x->batch * tiles(x->height, side) * tiles(x->width, side);
        double time = time_of(x, count, size * size, true);
        if (time > WORTH * least) continue;
        least = time;
        best = side;
    }
    return best;
}
