/* type.c -- types of Triton's IR: f32, !tt.ptr<f16>, tensor<64x32xi1>. */
#include "ttir/ttir.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    ty_dtype dtype;
} SCALARS[] = {{"i1", TY_BOOL},
               {"i8", TY_I8},
               {"i16", TY_I16},
               {"i32", TY_I32},
               {"i64", TY_I64},
               {"f16", TY_F16},
               {"f32", TY_F32},
               {"bf16", TY_BF16},
               {"f64", TY_F64},
               {"index", TY_I64},
               {"f8E4M3FN", TY_F8E4M3FN},
               {"f8E5M2", TY_F8E5M2},
               {"f8E4M3FNUZ", TY_F8E4M3FNUZ},
               {"f8E5M2FNUZ", TY_F8E5M2FNUZ}};

static ttir_type scalar(ttir_reader *in)
{
    const char *word = ttir_word(in);
    for (size_t k = 0; k < COUNT_OF(SCALARS); k++)
        if (strcmp(SCALARS[k].name, word) == 0) return (ttir_type){.dtype = SCALARS[k].dtype};
    if (!*word) ttir_fail(in, "its text: a type expected before '%.20s'", in->at);
    return (ttir_type){.dtype = TY_NO_DTYPE};
}

/* Up to the > that ends it. */
static void end_brackets(ttir_reader *in)
{
    while (*in->at && *in->at != '>') {
        if (*in->at == '<')
            ttir_skip_brackets(in);
        else
            in->at++;
    }
    ttir_expect(in, ">");
}

static ttir_type pointer(ttir_reader *in)
{
    ttir_type t = ttir_read_type(in);
    t.is_pointer = true;
    end_brackets(in);
    return t;
}

static ttir_type block(ttir_reader *in)
{
    ttir_type t = {0};
    uint32_t rank = 0;
    while (*in->at >= '0' && *in->at <= '9' && rank < TTIR_MOST_SIZES) {
        char *end;
        t.sizes[rank++] = strtoll(in->at, &end, 10);
        in->at = end;
        ttir_expect(in, "x");
    }
    ttir_type element = ttir_read_type(in);
    t.dtype = element.dtype;
    t.is_pointer = element.is_pointer;
    t.rank = rank;
    end_brackets(in);
    return t;
}

ttir_type ttir_read_type(ttir_reader *in)
{
    if (ttir_take(in, "!tt.ptr<")) return pointer(in);
    if (ttir_take(in, "tensor<")) return block(in);
    if (!ttir_take(in, "!")) return scalar(in);
    ttir_word(in);
    if (ttir_sees(in, "<")) ttir_skip_brackets(in);
    return (ttir_type){.dtype = TY_NO_DTYPE};
}

uint32_t ttir_read_types(ttir_reader *in, ttir_type *out, uint32_t room, uint32_t *first_result)
{
    uint32_t count = 0;
    bool has_arrow = false;
    for (bool more = true; more && !in->fault;) {
        if (ttir_take(in, "(")) continue;
        if (ttir_sees(in, ")")) { /* of none */
        } else if (count == room) {
            ttir_fail(in, "its text: more than %u types", room);
        } else {
            out[count++] = ttir_read_type(in);
        }
        ttir_take(in, ")");
        more = ttir_take(in, ",") || ttir_take(in, "*");
        if (more || !(ttir_take(in, "->") || ttir_take(in, "to "))) continue;
        more = has_arrow = true;
        *first_result = count;
    }
    if (!has_arrow) *first_result = count;
    return count;
}
