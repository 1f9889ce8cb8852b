/* wrong.c -- declarations with a mistake each, chosen by -DMISTAKE=n. */
#include "ferrite_ops.h"

int wrong_run(const fe_op_call *call)
{
    (void)call;
    return 1;
}

static const fe_op_row rows[] = {
#if MISTAKE == 1 /* no schema */
    FE_OP("quant::quantise(Tensor x, int bits=8", wrong_run, NULL),
#elif MISTAKE == 2 /* an out overload with another parameter */
    FE_OP_BY_OUT("quant::quantise(Tensor x, int bits=8) -> (Tensor, Tensor)", NULL, "out"),
    FE_OP("quant::quantise.out(Tensor x, int width=8, *, Tensor(a!) v, Tensor(b!) s) -> "
          "(Tensor(a!), Tensor(b!))",
          wrong_run, NULL),
#elif MISTAKE == 3 /* no out overload at all */
    {"quant::quantise(Tensor x, int bits=8) -> (Tensor, Tensor)", NULL, NULL, NULL, NULL},
#elif MISTAKE == 4 /* shapes that are not what the program has */
    FE_OP("quant::quantise(Tensor x, int bits=8) -> (Tensor, Tensor)", wrong_run,
          "x[n, d] -> i8[d, n], f32[n]"),
#elif MISTAKE == 5 /* declared twice, otherwise */
    FE_OP("quant::quantise(Tensor x, int bits=8) -> (Tensor, Tensor)", wrong_run, NULL),
    FE_OP("quant::quantise(Tensor x) -> (Tensor, Tensor)", wrong_run, NULL),
#elif MISTAKE == 6 /* shapes that cannot be read */
    FE_OP("quant::quantise(Tensor x, int bits=8) -> (Tensor, Tensor)", wrong_run,
          "x[n, d] -> i8[n, m], f32[n]"),
#elif MISTAKE == 7 /* it fails when it runs */
    FE_OP("quant::quantise(Tensor x, int bits=8) -> (Tensor, Tensor)", wrong_run,
          "x[n, d], bits -> i8[n, d], f32[max(n, 0 * bits) + 2 * d // 2 - (d - 1) - 1]"),
#endif
};
FE_OP_LIBRARY("wrong", rows)
