/* rows.h -- the parameters of LOWER and VIEW in ops.def that are no opcode, number or switch, by rule. */
#ifndef FERRITE_LOWER_ROWS_H
#define FERRITE_LOWER_ROWS_H

/* antialiased, upsample */
typedef enum interpolation {
    NEAREST,
    NEAREST_EXACT,
    LINEAR,
    CUBIC,
    LANCZOS,
    PLAIN_CUBIC
} interpolation;
/* attention: the second result */
enum { NO_SECOND, WEIGHTS, ROW_SUMS };
/* chebyshev: the kind of the polynomial, plus SHIFTED */
typedef enum chebyshev_kind { FIRST, SECOND, THIRD, FOURTH, SHIFTED = 4 } chebyshev_kind;
/* core */
typedef enum fourier_form { REAL_TO_COMPLEX, COMPLEX_TO_COMPLEX, COMPLEX_TO_REAL } fourier_form;
/* draw_by_inversion: the distribution */
typedef enum by_inversion { EXPONENTIAL, GEOMETRIC, CAUCHY } by_inversion;
/* dropout: a set of these */
enum { WHOLE_CHANNELS = 1, ALPHA = 2 };
/* fft */
enum { FFT, IFFT, RFFT, IRFFT, HFFT, IHFFT, FFT_COUNT };
/* filled: the number, or */
enum { UNWRITTEN = 2 };
/* histogram: what it gives, a set of these */
enum { COUNTS = 1, EDGES = 2, POINTS = 4 };
/* matrix_rank, pinv: how they say which singular values are 0 */
enum { BY_BOTH, BY_RCOND, BY_TOL };
/* median */
enum { THIS_PLACE, MEDIAN, NAN_MEDIAN };
/* pad_border */
typedef enum pad_mode { REFLECT, REPLICATE, CIRCULAR } pad_mode;
/* pair_gradient, pair: the loss */
typedef enum pair_kind { SQUARED, SMOOTH_L1, HUBER, BCE, BCE_LOGITS, SOFT_MARGIN } pair_kind;
/* recurrent_cell, recurrent_layer */
typedef enum cell_kind { LSTM, GRU, RNN_TANH, RNN_RELU } cell_kind;
/* window */
typedef enum window_kind { HANN, HAMMING, BLACKMAN, BARTLETT } window_kind;

#endif
