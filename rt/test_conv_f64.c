/* test_conv_f64.c - test_conv.c for doubles. */
#define RT_F64
#include "test_conv.c"
