/* define.c -- where the symbols in the inputs' sizes and strides get their values. Sizes come first: of a
 * dimension of size 1 the stride may be anything.
 */
#include "wrap/define.h"

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

static bool is_defined(const definer *d, sym_expr symbol)
{
    return map_get(&d->defined, symbol.id) != MAP_NONE;
}

static void note_unknown(void *data, sym_expr symbol)
{
    definer *d = data;
    if (is_defined(d, symbol)) return;
    d->unknown = symbol;
    d->unknowns++;
}

uint32_t wrap_count_unknowns(definer *d, sym_expr e)
{
    d->unknowns = 0;
    sym_each_symbol(d->w->loops->symbols, e, note_unknown, d);
    return d->unknowns;
}

static wrap_line *define_from(definer *d, const source *from, sym_expr symbol)
{
    wrap_line *line = wrap_add_line(d->w, WRAP_SYMBOL);
    line->symbol = symbol;
    line->input = (int32_t)from->input;
    line->dimension = from->dimension;
    line->is_stride = from->is_stride;
    map_set(d->w->memory, &d->defined, symbol.id, 1);
    return line;
}

/* With one unknown symbol: scale * symbol ** power + shift, solved exactly. The check that every size and
 * stride equals its expression, made after all symbols are known, refuses what does not divide. */
bool wrap_solve_for(definer *d, const source *from, sym_expr expr, sym_expr less)
{
    sym_table *t = d->w->loops->symbols;
    sym_expr scale, shift;
    uint32_t power;
    if (wrap_count_unknowns(d, expr) != 1 ||
        !sym_power_in(t, expr, d->unknown, &power, &scale, &shift))
        return false;
    wrap_line *line = define_from(d, from, d->unknown);
    line->scale = scale;
    line->shift = sym_add(t, shift, less);
    line->power = power;
    return true;
}

/* A symbol that is what the source gives; a new one where no such symbol is there. */
sym_expr wrap_source_symbol(definer *d, source *from)
{
    sym_table *t = d->w->loops->symbols;
    if (sym_op_of(t, from->expr) == SYM_SYMBOL && is_defined(d, from->expr)) return from->expr;
    if (!sym_is_none(from->given)) return from->given;
    const char *name;
    do name = arena_printf(d->w->memory, "given%u", d->given++);
    while (!sym_is_none(sym_find_symbol(t, name)));
    from->given = sym_symbol(t, name, SYM_SIZE, SYM_NO_MIN, SYM_NO_MAX);
    sym_set_hint(t, from->given, sym_hint(t, from->expr, 1));
    define_from(d, from, from->given);
    return from->given;
}

/* What the inputs tell: numbers and sizes, and then strides. */
static void list_sources(definer *d)
{
    const loop_program *p = d->w->loops;
    uint32_t room = 1;
    for (uint32_t k = 0; k < p->inputs.count; k++)
        room += p->inputs.at[k].is_tensor ? 2 * p->buffers.at[p->inputs.at[k].buffer].rank : 1;
    d->sources = NEW_ARRAY(d->w->memory, source, room);
    for (int strides = 0; strides < 2; strides++)
        for (uint32_t k = 0; k < p->inputs.count; k++) {
            const loop_input *input = &p->inputs.at[k];
            if (!input->is_tensor) {
                if (!strides && !sym_is_none(input->expr))
                    d->sources[d->count++] = (source){input->expr, {0}, k, -1, false};
                continue;
            }
            const loop_buffer *x = &p->buffers.at[input->buffer];
            for (uint32_t i = 0; i < x->rank; i++)
                d->sources[d->count++] =
                    (source){strides ? x->strides[i] : x->sizes[i], {0}, k, (int32_t)i, strides};
        }
}

/* What cannot be told from the inputs, as s0*s1 alone, is the user's to give. */
static fe_status refuse_unknown(definer *d, const source *from)
{
    const loop_program *p = d->w->loops;
    if (wrap_count_unknowns(d, from->expr) == 0 || from->dimension < 0) return FE_OK;
    text shown;
    text_init(&shown, d->w->memory);
    sym_print(p->symbols, from->expr, &shown);
    return diag_fail(d->w->session,
                     (diag){.status = FE_UNSUPPORTED,
                            .stage = "wrap",
                            .help = "make one of the sizes in it static, or a dimension of "
                                    "an input by itself"},
                     "%sdimension %d of input '%s' is %s: %s cannot be told from the inputs",
                     from->is_stride ? "the stride of " : "", from->dimension,
                     p->inputs.at[from->input].name, shown.at, sym_name(p->symbols, d->unknown));
}

/* An expression that is a bare symbol defines it at its first appearance; later ones, and compound
 * ones, must agree. Expressions with several unknowns wait until others are solved. */
static void define_from_all(definer *d, uint32_t count)
{
    sym_table *t = d->w->loops->symbols;
    sym_expr zero = sym_int(t, 0);
    for (uint32_t i = 0; i < count; i++) {
        const source *from = &d->sources[i];
        if (sym_op_of(t, from->expr) == SYM_SYMBOL && !is_defined(d, from->expr))
            define_from(d, from, from->expr);
    }
    for (bool solved = true; solved;) {
        solved = false;
        for (uint32_t i = 0; i < count; i++)
            solved |= wrap_solve_for(d, &d->sources[i], d->sources[i].expr, zero);
        if (!solved) solved = wrap_solve_system(d, count);
    }
}

fe_status wrap_define_inputs(wrap_program *w)
{
    definer d = {.w = w};
    uint32_t sizes = 0;
    list_sources(&d);
    while (sizes < d.count && !d.sources[sizes].is_stride) sizes++;
    define_from_all(&d, sizes);
    define_from_all(&d, d.count);
    for (uint32_t i = 0; i < d.count; i++) FE_TRY(refuse_unknown(&d, &d.sources[i]));
    return FE_OK;
}
