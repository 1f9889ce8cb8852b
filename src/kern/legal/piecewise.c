/* piecewise.c -- functions by tables: polynomials of degree 7, one for each of KERN_TABLE_SIZE pieces, whose
 * number the low bits of a value are.
 *
 * Each interpolates at the Chebyshev points of its piece, around a number near the middle of it at which
 * the function is within a thousandth of the last place of an f32 (S. Gal's accurate tables, 1986): what is
 * added last is as good as exact.
 */
#include "kern/legal/legal.h"

#include <string.h>

/* erf of pieces as wide as 0.527, the first half as wide: where they are, */
static const double ERF_MIDDLE[KERN_TABLE_SIZE] = {0,         0.526080012, 1.05377996, 1.58133996,
                                                   2.1103301, 2.63390994,  3.16571999, 3.69117999};
/* erf there, */
static const double ERF_VALUE[KERN_TABLE_SIZE] = {
    0, 0.543117166, 0.863846719, 0.974671304, 0.997159183, 0.999804616, 0.99999243, 0.999999821};
/* and (erf(middle + t) - value) / t of t, less 1 in the first. */
static const double ERF_SLOPE[][KERN_TABLE_SIZE] = {
    {-0.0242422242, 0.00716532255, 0.0127471378, -0.00566625968, -0.00209617754, 0.000662784558,
     0.000238422406, 2.3845676e-05},
    {-0.0012541496, -0.0475683622, 0.00915657729, 0.0160990935, -0.00142570806, -0.00220023817,
     -0.000395468116, -2.92411696e-05},
    {0.113088936, -0.000412385125, -0.0668109283, -0.00616479665, 0.0126513839, 0.00409975927,
     0.00047484762, 2.64013088e-05},
    {-2.44457169e-05, 0.183471695, 0.0508929715, -0.0488156006, -0.027291486, -0.00522923423,
     -0.000450134685, -2.02801239e-05},
    {-0.376125276, -0.127332732, 0.151269659, 0.123458199, 0.0346111506, 0.00470076734,
     0.000318194332, 1.1949398e-05},
    {-1.84738784e-08, -0.450101733, -0.391689777, -0.146375418, -0.0277125258, -0.00288499868,
     -0.000158688592, -5.04136142e-06},
    {0.128379166, 0.855578065, 0.371699333, 0.092564106, 0.0131319007, 0.00109533034,
     5.01244249e-05, 1.36543872e-06}};

typedef struct piecewise {
    const char *name;
    const double (*rows)[KERN_TABLE_SIZE]; /* the highest power first */
    uint32_t count;
} piecewise;

static const piecewise PIECEWISE[] = {
    {"erfmiddle", &ERF_MIDDLE, 1},
    {"erfvalue", &ERF_VALUE, 1},
    {"erfslope", ERF_SLOPE, COUNT_OF(ERF_SLOPE)},
};

static kern_ref looked_up(kern_library *library, kern_function *f, kern_ref piece,
                          const double *table)
{
    kern_value v = {.kind = KERN_TABLE, .dtype = f->dtype, .args = {piece}, .table = table};
    return kern_function_define(library, f, v);
}

/* Of y, whose bits say which piece, and if it is not constant there of t. */
const kern_function *kern_piecewise(kern_library *library, const char *base, ty_dtype dtype,
                                    uint32_t lanes)
{
    enum { Y = 1, T = 2 };
    const piecewise *p = PIECEWISE, *end = PIECEWISE + COUNT_OF(PIECEWISE);
    while (p < end && strcmp(p->name, base) != 0) p++;
    if (p == end || dtype != TY_F32) return NULL;
    kern_function *f = kern_function_new(library, base, dtype, lanes, p->count > 1 ? 2 : 1);
    kern_value bits = {.kind = KERN_APPLY, .op = LOOP_BITCAST, .dtype = TY_I32, .args = {Y}};
    kern_ref piece = kern_function_define(library, f, bits);
    kern_ref sum = looked_up(library, f, piece, p->rows[0]);
    for (uint32_t i = 1; i < p->count; i++)
        sum = kern_function_step(library, f, sum, T, looked_up(library, f, piece, p->rows[i]));
    kern_function_return(library, f, sum);
    return f;
}
