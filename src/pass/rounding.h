/* rounding.h -- rows of floats as integers of 8 or 4 bits, and how far off these are. */
#ifndef FERRITE_PASS_ROUNDING_H
#define FERRITE_PASS_ROUNDING_H

#include <stdint.h>

enum { ROUNDING_GROUP = 32 /* floats that share a scale and a zero of 4 bits */ };

/* row[i] is about q[i] * scale, q in [-127, 127], for the least scale that holds all of the row: the scale,
 * 1 of a row of zeros. The floats are finite. */
float rounding_row(const float *row, int64_t count, int8_t *q);

/* group[i] is about (q[i] - zero) * scale, q in [-8, 7]: the range from the least to the most float, or one
 * that is narrower or wider, each with the scale and zero of the least squares for the integers that it
 * gives; the one with the least sum of squared errors (ggml's make_qkx2_quants, Q4_1, does the same). */
void rounding_group(const float group[ROUNDING_GROUP], int8_t q[ROUNDING_GROUP], float *scale,
                    float *zero);

/* What the integers of one weight lose. */
typedef struct rounding_error {
    double squares, of;   /* sums of squares: of errors, of the weight */
    double most, largest; /* magnitudes: of errors, of the weight */
} rounding_error;

/* Adds what (q - zero) * scale is off by. */
void rounding_measure(rounding_error *e, const float *row, const int8_t *q, int64_t count,
                      float scale, float zero);

#endif
