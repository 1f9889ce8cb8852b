/* define.c -- where the symbols in the inputs' sizes and strides get their values. Sizes come first: of a
 * dimension of size 1 the stride may be anything.
 */
#include "wrap/wrap_priv.h"

wrap_line *wrap_add_line(wrap_program *w, wrap_kind kind)
{
    vec_push(w->memory, &w->lines,
             (wrap_line){.kind = kind,
                         .buffer = LOOP_NO_BUFFER,
                         .old_buffer = LOOP_NO_BUFFER,
                         .input = -1,
                         .dimension = -1});
    return &vec_last(&w->lines);
}

static bool is_defined(const wrap_program *w, sym_expr symbol)
{
    for (uint32_t i = 0; i < w->lines.count; i++)
        if (w->lines.at[i].kind == WRAP_SYMBOL && sym_same(w->lines.at[i].symbol, symbol))
            return true;
    return false;
}

typedef struct unknown_search {
    const wrap_program *w;
    sym_expr unknown;
    uint32_t count;
} unknown_search;

static void find_unknown(void *data, sym_expr symbol)
{
    unknown_search *search = data;
    if (is_defined(search->w, symbol)) return;
    search->unknown = symbol;
    search->count++;
}

/* A number that an input gives: the size or the stride of dimension d, or itself (d < 0). */
typedef struct source {
    sym_expr expr;
    uint32_t input;
    int32_t dimension;
    bool is_stride;
} source;

static wrap_line *define_from(wrap_program *w, const source *from, sym_expr symbol)
{
    wrap_line *line = wrap_add_line(w, WRAP_SYMBOL);
    line->symbol = symbol;
    line->input = (int32_t)from->input;
    line->dimension = from->dimension;
    line->is_stride = from->is_stride;
    return line;
}

static bool is_new_symbol(wrap_program *w, const source *from)
{
    return sym_op_of(w->loops->symbols, from->expr) == SYM_SYMBOL && !is_defined(w, from->expr);
}

/* With one unknown symbol: scale * symbol + shift, solved exactly. The check that every size and
 * stride equals its expression, made after all symbols are known, refuses what does not divide. */
static bool solve_for(wrap_program *w, const source *from)
{
    sym_table *t = w->loops->symbols;
    unknown_search search = {w, {0}, 0};
    sym_expr scale, shift;
    sym_each_symbol(t, from->expr, find_unknown, &search);
    if (search.count != 1 || !sym_linear_in(t, from->expr, search.unknown, &scale, &shift))
        return false;
    wrap_line *line = define_from(w, from, search.unknown);
    line->scale = scale;
    line->shift = shift;
    return true;
}

/* What the inputs tell: numbers and sizes, and then strides. */
static source *list_sources(wrap_program *w, uint32_t *count)
{
    const loop_program *p = w->loops;
    uint32_t room = 1;
    *count = 0;
    for (uint32_t k = 0; k < p->inputs.count; k++)
        room += p->inputs.at[k].is_tensor ? 2 * p->buffers.at[p->inputs.at[k].buffer].rank : 1;
    source *at = NEW_ARRAY(w->memory, source, room);
    for (int strides = 0; strides < 2; strides++)
        for (uint32_t k = 0; k < p->inputs.count; k++) {
            const loop_input *input = &p->inputs.at[k];
            if (!input->is_tensor) {
                if (!strides && !sym_is_none(input->expr))
                    at[(*count)++] = (source){input->expr, k, -1, false};
                continue;
            }
            const loop_buffer *x = &p->buffers.at[input->buffer];
            for (uint32_t d = 0; d < x->rank; d++)
                at[(*count)++] =
                    (source){strides ? x->strides[d] : x->sizes[d], k, (int32_t)d, strides};
        }
    return at;
}

/* What cannot be told from the inputs, as s0*s1 alone, is the user's to give. */
static fe_status refuse_unknown(wrap_program *w, const source *from)
{
    const loop_program *p = w->loops;
    unknown_search search = {w, {0}, 0};
    sym_each_symbol(p->symbols, from->expr, find_unknown, &search);
    if (search.count == 0 || from->dimension < 0) return FE_OK;
    text shown;
    text_init(&shown, w->memory);
    sym_print(p->symbols, from->expr, &shown);
    return diag_fail(w->session,
                     (diag){.status = FE_UNSUPPORTED,
                            .stage = "wrap",
                            .help = "make one of the sizes in it static, or a dimension of "
                                    "an input by itself"},
                     "%sdimension %d of input '%s' is %s: %s cannot be told from the inputs",
                     from->is_stride ? "the stride of " : "", from->dimension,
                     p->inputs.at[from->input].name, shown.at,
                     sym_name(p->symbols, search.unknown));
}

/* An expression that is a bare symbol defines it at its first appearance; later ones, and compound
 * ones, must agree. Expressions with several unknowns wait until others are solved. */
static void define_from_all(wrap_program *w, const source *sources, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_new_symbol(w, &sources[i])) define_from(w, &sources[i], sources[i].expr);
    for (bool solved = true; solved;) {
        solved = false;
        for (uint32_t i = 0; i < count && !solved; i++) solved = solve_for(w, &sources[i]);
    }
}

fe_status wrap_define_inputs(wrap_program *w)
{
    uint32_t count, sizes = 0;
    source *sources = list_sources(w, &count);
    while (sizes < count && !sources[sizes].is_stride) sizes++;
    define_from_all(w, sources, sizes);
    define_from_all(w, sources, count);
    for (uint32_t i = 0; i < count; i++) FE_TRY(refuse_unknown(w, &sources[i]));
    return FE_OK;
}
