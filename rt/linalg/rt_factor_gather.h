/* rt_factor_gather.h - matrices into lanes and back: see rt_aside.h. Lanes beyond the last matrix hold zeros,
 * and whatever comes of them. */
#include "rt_aside.h"
#include "rt_factor_number.h"

static void gather(const rt_aside *from, void *to)
{
    side *at = to;
    memset(to, 0, (size_t)(from->rows * from->columns) * sizeof *at);
    for (int64_t j = 0; j < from->columns; j++)
        for (int64_t i = 0; i < from->rows; i++, at++) {
            int64_t offset = i * from->row + j * from->column;
            for (int lane = 0; lane < from->count; lane++)
                side_put(at, lane, ((const number *)(const void *)from->places[lane])[offset]);
            if (from->conjugate) *at = side_conjugate(*at);
        }
}

static void scatter(const void *from, const rt_aside *to)
{
    const side *at = from;
    for (int64_t j = 0; j < to->columns; j++)
        for (int64_t i = 0; i < to->rows; i++, at++) {
            int64_t offset = i * to->row + j * to->column;
            side x = to->conjugate ? side_conjugate(*at) : *at;
            for (int lane = 0; lane < to->count; lane++)
                ((number *)(void *)to->places[lane])[offset] = side_number(&x, lane);
        }
}
