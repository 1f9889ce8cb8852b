/* winograd.c -- which convolutions take less time by Winograd's algorithm (rt/rt_winograd.c), and with tiles of
 * how many pixels a side.
 *
 * Their times are estimated in multiply-adds of one thread. A weight is read from memory that is further away
 * than all else, and those of larger tiles have more numbers: few pixels are not worth them.
 */
#include "lower/conv.h"

enum {
    TAPS = 3, /* along a side of the window */
    LEAST_CHANNELS = 32,
    WEIGHT = 6,    /* reading a number of the weight, once for: */
    TOGETHER = 48, /* rows of a product */
    PATCH = 16,    /* making a number of a transformed patch, or a result of one */
};

/* Of products of so many rows for each position, with transforms around them where there are any. */
static double time_of(const lower_image *x, double rows, int64_t positions, bool transforms)
{
    double weight = (double)(x->in * x->out), reads = rows < TOGETHER ? 1 : rows / TOGETHER;
    double products = weight * (rows + reads * WEIGHT),
           around = transforms ? rows * PATCH * (double)(x->in + x->out) : 0;
    return (double)positions * (products + around);
}

static int64_t tiles(int64_t size, int64_t side)
{
    return (size + side - 1) / side;
}

int64_t lower_tile_of(const lower_image *x)
{
    double least = time_of(x, (double)(x->batch * x->height * x->width), TAPS * TAPS, false);
    int64_t best = 0;
    if (x->in < LEAST_CHANNELS || x->out < LEAST_CHANNELS) return 0;
    for (int64_t side = 2; side <= 4; side += 2) {
        int64_t size = side + TAPS - 1,
                count = x->batch * tiles(x->height, side) * tiles(x->width, side);
        double time = time_of(x, (double)count, size * size, true);
        if (time >= least) continue;
        least = time;
        best = side;
    }
    return best;
}
