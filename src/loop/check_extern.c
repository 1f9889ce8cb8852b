/* check_extern.c -- law L11: an operator of the runtime is given what its signature says. Names in sizes
 * stand for what the first operand with them has. What is provably another breaks the law, and so does a
 * stride that must be 1 and is not known to be. */
#include "loop/check_priv.h"
#include "loop/operator.h"
#include "loop/signature.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 16, MOST_RUNS = 6 };

typedef struct run {
    sig_text name;
    uint32_t rank;
    const sym_expr *sizes;
} run;

typedef struct call {
    loop_program *p;
    const loop_op *op;
    signature s;
    struct {
        sig_text name;
        sym_expr value;
    } names[MOST_NAMES];
    run runs[MOST_RUNS];
    uint32_t name_count, run_count;
    char fault[200];
} call;

static bool wrong(call *c, const char *format, ...) FE_PRINTF(2, 3);
static bool wrong(call *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(c->fault, sizeof c->fault, format, args);
    va_end(args);
    return false;
}

/* ---- names ---- */

static bool same_text(sig_text a, sig_text b)
{
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

static sym_expr *find_name(call *c, sig_text name)
{
    for (uint32_t k = 0; k < c->name_count; k++)
        if (same_text(c->names[k].name, name)) return &c->names[k].value;
    return NULL;
}

static void bind_name(call *c, sig_text name, sym_expr value)
{
    CHECK(c->p->session, c->name_count < MOST_NAMES);
    c->names[c->name_count].name = name;
    c->names[c->name_count++].value = value;
}

static const run *find_run(const call *c, sig_text name)
{
    for (uint32_t k = 0; k < c->run_count; k++)
        if (same_text(c->runs[k].name, name)) return &c->runs[k];
    return NULL;
}

/* The dimension that the int of this name says; false where none does. */
static bool dimension(call *c, sig_text name, const run *r, int64_t *dim)
{
    const sym_expr *value = find_name(c, name);
    return value && r && sym_is_int(c->p->symbols, *value, dim) && *dim >= 0 && *dim < r->rank;
}

/* ---- expressions: none where a name in them stands for nothing ---- */

static sym_expr read_sum(call *c, const char **at);

static sig_text read_name(const char **at)
{
    sig_text name = {*at, 0};
    while (isalnum((unsigned char)**at) || **at == '_') (*at)++;
    name.length = (uint32_t)(*at - name.at);
    return name;
}

static sym_expr read_least(call *c, const char **at)
{
    *at += strlen("min(");
    sym_expr a = read_sum(c, at);
    ++*at;
    sym_expr b = read_sum(c, at);
    ++*at;
    return sym_is_none(a) || sym_is_none(b) ? (sym_expr){0} : sym_min(c->p->symbols, a, b);
}

/* 3, n, #s, s@dim, min(a,b) */
static sym_expr read_atom(call *c, const char **at)
{
    int64_t dim;
    if (strncmp(*at, "min(", 4) == 0) return read_least(c, at);
    if (**at == '#') {
        ++*at;
        const run *r = find_run(c, read_name(at));
        return r ? sym_int(c->p->symbols, r->rank) : (sym_expr){0};
    }
    sig_text name = read_name(at);
    if (isdigit((unsigned char)*name.at))
        return sym_int(c->p->symbols, *name.at - '0'); /* one digit is all that there is */
    if (**at == '@') {
        ++*at;
        const run *r = find_run(c, name);
        return dimension(c, read_name(at), r, &dim) ? r->sizes[dim] : (sym_expr){0};
    }
    const sym_expr *value = find_name(c, name);
    return value ? *value : (sym_expr){0};
}

static sym_expr read_product(call *c, const char **at)
{
    sym_expr a = read_atom(c, at);
    while (**at == '*') {
        ++*at;
        sym_expr b = read_atom(c, at);
        a = sym_is_none(a) || sym_is_none(b) ? (sym_expr){0} : sym_mul(c->p->symbols, a, b);
    }
    return a;
}

static sym_expr read_sum(call *c, const char **at)
{
    sym_expr a = read_product(c, at);
    while (**at == '+' || **at == '-') {
        bool minus = *(*at)++ == '-';
        sym_expr b = read_product(c, at);
        if (sym_is_none(a) || sym_is_none(b))
            a = (sym_expr){0};
        else
            a = minus ? sym_sub(c->p->symbols, a, b) : sym_add(c->p->symbols, a, b);
    }
    return a;
}

static bool may_be(call *c, sym_op op, sym_expr a, sym_expr b)
{
    sym_table *t = c->p->symbols;
    if (sym_is_none(a) || sym_is_none(b)) return true;
    return sym_prove(t, sym_compare(t, op, a, b), NULL) != SYM_FALSE;
}

/* ---- sizes ---- */

/* Sizes of an operand, one after another, against the words of its signature. */
typedef struct sizes {
    const sig_operand *o;
    const loop_view *v;
    uint32_t next;   /* dimension */
    uint32_t behind; /* words that are still to come */
} sizes;

static uint32_t count_words(sig_text list)
{
    uint32_t count = 0;
    for (sig_text word; sig_next(&list, ',', &word);) count++;
    return count;
}

static bool is_run(sig_text word)
{
    return word.length >= 2 && word.at[0] == '.' && word.at[1] == '.';
}

static bool size_is(call *c, const sizes *s, uint32_t dim, sym_expr wanted, sig_text why)
{
    text is, is_not;
    if (may_be(c, SYM_EQ, s->v->sizes[dim], wanted)) return true;
    text_init(&is, c->p->memory);
    text_init(&is_not, c->p->memory);
    sym_print(c->p->symbols, s->v->sizes[dim], &is);
    sym_print(c->p->symbols, wanted, &is_not);
    return wrong(c, "size %u of %.*s is %s, and %.*s is %s", dim, (int)s->o->name.length,
                 s->o->name.at, is.at, (int)why.length, why.at, is_not.at);
}

/* ..s~k */
static bool check_run(call *c, sizes *s, sig_text word)
{
    static const sig_text DIM = {"dim", 3};
    sig_text name = {word.at + 2, word.length - 2}, other = {0};
    uint32_t rank = s->v->rank - s->next - s->behind;
    const sym_expr *own = rank ? s->v->sizes + s->next : NULL;
    int64_t dim = -1;
    for (uint32_t k = 0; k < name.length; k++)
        if (name.at[k] == '~') {
            other = (sig_text){name.at + k + 1, name.length - k - 1};
            name.length = k;
        }
    const run *r = find_run(c, name);
    if (!r) {
        CHECK(c->p->session, c->run_count < MOST_RUNS);
        c->runs[c->run_count++] = (run){name, rank, own};
    } else if (r->rank != rank) {
        return wrong(c, "%.*s has %u dimensions, and %u fit", (int)s->o->name.length, s->o->name.at,
                     s->v->rank, s->v->rank - rank + r->rank);
    }
    if (r && other.length) dimension(c, DIM, r, &dim);
    for (uint32_t k = 0; r && k < rank; k++) {
        const char *at_other = other.at;
        bool is_other = dim == (int64_t)k;
        sym_expr wanted = is_other ? read_sum(c, &at_other) : r->sizes[k];
        if (!size_is(c, s, s->next + k, wanted, is_other ? other : word)) return false;
    }
    s->next += rank;
    return true;
}

static bool is_name(sig_text word)
{
    const char *at = word.at;
    return !isdigit((unsigned char)*at) && read_name(&at).length == word.length;
}

/* Binds names that stand alone, or (`binds` false) compares what is no such. */
static bool check_sizes(call *c, const sig_operand *o, const loop_view *v, bool binds)
{
    sizes s = {o, v, 0, count_words(o->sizes)};
    sig_text list = o->sizes, word;
    bool has_run = false;
    for (sig_text l = list; sig_next(&l, ',', &word);) has_run |= is_run(word);
    uint32_t least = s.behind - has_run;
    if (v->rank < least || (!has_run && v->rank != least))
        return wrong(c, "%.*s has %u dimensions, not %s%u", (int)o->name.length, o->name.at,
                     v->rank, has_run ? "at least " : "", least);
    while (sig_next(&list, ',', &word)) {
        s.behind--;
        if (is_run(word)) {
            if (!check_run(c, &s, word)) return false;
            continue;
        }
        const char *at = word.at;
        if (binds && is_name(word) && !find_name(c, word)) bind_name(c, word, v->sizes[s.next]);
        if (!binds && !size_is(c, &s, s.next, read_sum(c, &at), word)) return false;
        s.next++;
    }
    return true;
}

/* ---- operands ---- */

static bool is_absent(const loop_view *views, uint32_t count, uint32_t k)
{
    return k >= count || views[k].buffer == LOOP_NO_BUFFER;
}

/* real and complex go by the first operand. */
static bool check_dtype(call *c, const sig_operand *o, ty_dtype d, ty_dtype *same)
{
    bool is_same, fits = sig_has_dtype(o->type, d, &is_same);
    ty_dtype first = c->op->inputs[0].dtype;
    if (sig_is(o->type, "real")) fits &= d == ty_complex_to_real(first);
    if (sig_is(o->type, "complex")) fits &= d == ty_real_to_complex(first);
    if (!fits)
        return wrong(c, "%.*s is %s, not %.*s", (int)o->name.length, o->name.at, ty_dtype_name(d),
                     (int)o->type.length, o->type.at);
    if (is_same && *same == TY_NO_DTYPE) *same = d;
    return !is_same || *same == d ||
           wrong(c, "%.*s is %s, and others are %s", (int)o->name.length, o->name.at,
                 ty_dtype_name(d), ty_dtype_name(*same));
}

static bool may_have_several(call *c, sym_expr size)
{
    int64_t known;
    return !sym_is_int(c->p->symbols, size, &known) || known > 1;
}

static bool stride_is_one(call *c, const loop_view *v, uint32_t from_last)
{
    uint32_t d = v->rank - 1 - from_last;
    return v->rank <= from_last || !may_have_several(c, v->sizes[d]) ||
           sym_known_equal(c->p->symbols, v->strides[d], sym_int(c->p->symbols, 1));
}

static bool check_layout(call *c, const sig_operand *o, const loop_view *v)
{
    uint32_t r = v->rank;
    if (o->layout == SIG_UNIT && !stride_is_one(c, v, 0))
        return wrong(c, "the last stride of %.*s is not 1", (int)o->name.length, o->name.at);
    if (o->layout != SIG_COLUMNS || r < 2) return true;
    bool fits = !may_have_several(c, v->sizes[r - 1]) ||
                may_be(c, SYM_LE, v->sizes[r - 2], v->strides[r - 1]);
    return (fits && stride_is_one(c, v, 1)) ||
           wrong(c, "%.*s is not column major", (int)o->name.length, o->name.at);
}

/* An element that is written at two places. */
static bool check_written(call *c, const sig_operand *o, const loop_view *v)
{
    for (uint32_t d = 0; d < v->rank; d++) {
        int64_t size;
        if (sym_is_int(c->p->symbols, v->sizes[d], &size) && size == 0) return true;
    }
    for (uint32_t d = 0; d < v->rank; d++) {
        int64_t least, most, stride;
        sym_range(c->p->symbols, v->sizes[d], NULL, &least, &most);
        if (least > 1 && sym_is_int(c->p->symbols, v->strides[d], &stride) && stride == 0)
            return wrong(c, "dimension %u of %.*s has stride 0, and it is written", d,
                         (int)o->name.length, o->name.at);
    }
    return true;
}

static bool check_presence(call *c, const sig_operand *list, uint32_t wanted,
                           const loop_view *views, uint32_t count)
{
    uint32_t least = wanted;
    while (least > 0 && list[least - 1].may_be_left_out) least--;
    if (count < least || count > wanted)
        return wrong(c, "%u %s, not %u", count, list == c->s.in ? "inputs" : "outputs", wanted);
    for (uint32_t k = 0; k < count; k++) {
        const sig_operand *o = &list[k];
        bool absent = is_absent(views, count, k);
        if (absent && !o->may_be_absent)
            return wrong(c, "%.*s is absent", (int)o->name.length, o->name.at);
        for (uint32_t i = 0; i < k && o->together; i++)
            if (list[i].together == o->together && is_absent(views, count, i) != absent)
                return wrong(c, "%.*s is there without %.*s, or the other way round",
                             (int)o->name.length, o->name.at, (int)list[i].name.length,
                             list[i].name.at);
    }
    return true;
}

static bool check_operands(call *c, const sig_operand *list, const loop_view *views, uint32_t count,
                           ty_dtype *same, bool binds)
{
    for (uint32_t k = 0; k < count; k++) {
        if (is_absent(views, count, k)) continue;
        if (binds && !check_dtype(c, &list[k], views[k].dtype, same)) return false;
        if (!check_sizes(c, &list[k], &views[k], binds)) return false;
        if (!binds && !check_layout(c, &list[k], &views[k])) return false;
        if (!binds && list == c->s.out && !check_written(c, &list[k], &views[k])) return false;
    }
    return true;
}

/* ---- numbers ---- */

static bool check_int(call *c, const sig_int *i, sym_expr value)
{
    sym_table *t = c->p->symbols;
    int64_t low, high;
    sym_range(t, value, NULL, &low, &high);
    int64_t least = i->is_axis ? 0 : i->low,
            most = i->is_axis ? (int64_t)c->op->inputs[0].rank - 1 : i->high;
    bool fits = low <= most && high >= least;
    if (i->is_axis) fits = sym_is_int(t, value, NULL) && fits;
    return fits || wrong(c, "%.*s is out of its range", (int)i->name.length, i->name.at);
}

static bool check_numbers(call *c)
{
    const loop_op *op = c->op;
    const signature *s = &c->s;
    if (op->int_count < s->int_count || (op->int_count > s->int_count && !s->more_ints))
        return wrong(c, "%u ints, not %u", op->int_count, s->int_count);
    if (op->float_count != s->float_count)
        return wrong(c, "%u floats, not %u", op->float_count, s->float_count);
    for (uint32_t k = 0; k < s->int_count; k++) {
        if (!check_int(c, &s->ints[k], op->ints[k])) return false;
        bind_name(c, s->ints[k].name, op->ints[k]);
    }
    return true;
}

/* ---- relations: k<=n, or k==n&j==n|k==m&j==m ---- */

static bool may_hold(call *c, sig_text relation)
{
    const char *at = relation.at;
    sym_expr a = read_sum(c, &at);
    sym_op op = *at == '<' ? SYM_LE : SYM_EQ;
    at += 2;
    return may_be(c, op, a, read_sum(c, &at));
}

static bool check_relation(call *c, sig_text word)
{
    sig_text left = word, one, part;
    while (sig_next(&left, '|', &one)) {
        bool holds = true;
        while (sig_next(&one, '&', &part)) holds &= may_hold(c, part);
        if (holds) return true;
    }
    return wrong(c, "%.*s does not hold", (int)word.length, word.at);
}

static bool fits_signature(call *c)
{
    const loop_op *op = c->op;
    uint32_t results = loop_result_count(c->p, op);
    ty_dtype same = TY_NO_DTYPE;
    sig_text list = c->s.relations, word;
    if (!check_presence(c, c->s.in, c->s.in_count, op->inputs, op->input_count) ||
        !check_presence(c, c->s.out, c->s.out_count, op->outputs, results) || !check_numbers(c) ||
        !check_operands(c, c->s.in, op->inputs, op->input_count, &same, true) ||
        !check_operands(c, c->s.out, op->outputs, results, &same, true) ||
        !check_operands(c, c->s.in, op->inputs, op->input_count, &same, false) ||
        !check_operands(c, c->s.out, op->outputs, results, &same, false))
        return false;
    while (sig_next(&list, ' ', &word))
        if (!check_relation(c, word)) return false;
    return true;
}

const char *loop_call_fault(loop_program *p, const loop_op *op)
{
    const loop_operator *row = loop_operator_of(op->kernel);
    if (!row)
        return arena_printf(p->memory, "there is no extern kernel %s",
                            op->kernel ? op->kernel : "(none)");
    call c = {.p = p, .op = op, .s = sig_read(row->signature)};
    if (!c.s.takes_anything && !fits_signature(&c))
        return arena_printf(p->memory, "%s: %s", op->kernel, c.fault);
    const char *fault = row->fit ? row->fit(p, op) : NULL;
    return fault ? arena_printf(p->memory, "%s: %s", op->kernel, fault) : NULL;
}
