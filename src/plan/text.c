/* text.c -- plans as CSV: what benchmark sets publish and what bug reports carry. */
#include <string.h>

#include "plan/plan.h"

typedef enum column {
    COLUMN_ID,
    COLUMN_LOWER,
    COLUMN_UPPER,
    COLUMN_END, /* upper - 1 */
    COLUMN_SIZE,
    COLUMN_ALIGNMENT,
    COLUMN_GROUP,
    COLUMN_GROUP_OFFSET,
    COLUMN_FIXED,
    COLUMN_OFFSET,
    COLUMN_COUNT
} column;

static const struct {
    const char *name;
    column column;
} COLUMN_NAMES[] = {
    {"id", COLUMN_ID},
    {"lower", COLUMN_LOWER},
    {"start", COLUMN_LOWER},
    {"upper", COLUMN_UPPER},
    {"end", COLUMN_END},
    {"size", COLUMN_SIZE},
    {"alignment", COLUMN_ALIGNMENT},
    {"group", COLUMN_GROUP},
    {"group_offset", COLUMN_GROUP_OFFSET},
    {"fixed", COLUMN_FIXED},
    {"offset", COLUMN_OFFSET},
};

#define MOST_COLUMNS 16

typedef struct reader {
    arena *memory;
    const char *at, *end;
    uint32_t line;
    column columns[MOST_COLUMNS]; /* what each column of the text is */
    uint32_t column_count;
    bool has[COLUMN_COUNT];
} reader;

/* A diagnostic at the reader's line; `message` takes one text. */
static fe_status bad_text(const reader *r, fe_status status, const char *message, const char *found)
{
    diag d = {
        .status = status, .stage = "plan", .place = arena_printf(r->memory, "line %u", r->line)};
    d.help = "the columns are id,lower,upper,size and if wanted "
             "alignment,group,group_offset,fixed,offset";
    return diag_fail(arena_session(r->memory), d, message, found);
}

/* Takes the next cell of the line, without blanks around it. False at the end of the line. */
static bool next_cell(reader *r, const char **cell, size_t *length, bool *line_ends)
{
    if (*line_ends) return false;
    const char *start = r->at;
    while (r->at < r->end && *r->at != ',' && *r->at != '\n') r->at++;
    const char *stop = r->at;
    *line_ends = r->at == r->end || *r->at == '\n';
    if (r->at < r->end) r->at++;
    while (start < stop && (*start == ' ' || *start == '\t')) start++;
    while (start < stop && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r')) stop--;
    *cell = start;
    *length = (size_t)(stop - start);
    return true;
}

static fe_status read_header(reader *r)
{
    const char *cell;
    size_t length;
    bool line_ends = false;
    r->line = 1;
    while (next_cell(r, &cell, &length, &line_ends)) {
        size_t n = 0;
        while (n < COUNT_OF(COLUMN_NAMES) && (strlen(COLUMN_NAMES[n].name) != length ||
                                              memcmp(COLUMN_NAMES[n].name, cell, length) != 0))
            n++;
        const char *name = arena_printf(r->memory, "%.*s", (int)(length < 40 ? length : 40), cell);
        if (n == COUNT_OF(COLUMN_NAMES))
            return bad_text(r, FE_UNSUPPORTED, "cannot use the column '%s'", name);
        column c = COLUMN_NAMES[n].column;
        if (r->has[c] || r->column_count == MOST_COLUMNS)
            return bad_text(r, FE_CORRUPT, "a second '%s' column", name);
        r->has[c] = true;
        r->columns[r->column_count++] = c;
    }
    if (!r->has[COLUMN_LOWER] || !r->has[COLUMN_SIZE] || r->has[COLUMN_UPPER] == r->has[COLUMN_END])
        return bad_text(r, FE_CORRUPT, "the header must name lower, upper and size%s", "");
    return FE_OK;
}

/* A decimal integer that fits the column. */
static fe_status read_number(const reader *r, column c, const char *cell, size_t length,
                             int64_t *value)
{
    int64_t most = PLAN_MOST_BYTES;
    uint64_t sum = 0;
    bool negative = length && *cell == '-';
    if (c == COLUMN_LOWER || c == COLUMN_UPPER || c == COLUMN_END) most = INT32_MAX - 1;
    if (c == COLUMN_GROUP) most = UINT32_MAX;
    if (c == COLUMN_FIXED) most = 1;
    size_t i = negative;
    bool good = length > i;
    for (; i < length && good; i++) {
        uint64_t digit = (uint64_t)(unsigned char)cell[i] - '0';
        good = digit <= 9 && sum <= ((uint64_t)most - digit) / 10;
        sum = sum * 10 + digit;
    }
    *value = negative ? -(int64_t)sum : (int64_t)sum;
    if (good) return FE_OK;
    const char *found = arena_printf(r->memory, "%.*s", (int)(length < 40 ? length : 40), cell);
    return bad_text(r, FE_CORRUPT, "'%s' is no number that fits here", found);
}

static void set_column(plan_buffer *buffer, int64_t *offset, column c, int64_t value)
{
    switch (c) {
    case COLUMN_LOWER: buffer->birth = (int32_t)value; break;
    case COLUMN_UPPER: buffer->death = (int32_t)value; break;
    case COLUMN_END: buffer->death = (int32_t)value + 1; break;
    case COLUMN_SIZE: buffer->size = value; break;
    case COLUMN_ALIGNMENT: buffer->alignment = value; break;
    case COLUMN_GROUP: buffer->group = (uint32_t)value; break;
    case COLUMN_GROUP_OFFSET: buffer->group_offset = value; break;
    case COLUMN_FIXED: buffer->fixed = value != 0; break;
    default: *offset = value;
    }
}

static fe_status read_line(reader *r, const char **id, plan_buffer *buffer, int64_t *offset)
{
    const char *cell;
    size_t length;
    bool line_ends = false;
    uint32_t i = 0;
    for (; next_cell(r, &cell, &length, &line_ends); i++) {
        if (i == r->column_count)
            return bad_text(r, FE_CORRUPT, "more cells than the header has%s", "");
        column c = r->columns[i];
        bool needed = c == COLUMN_LOWER || c == COLUMN_UPPER || c == COLUMN_END || c == COLUMN_SIZE;
        int64_t value = 0;
        if (c == COLUMN_ID) {
            *id = intern_n(arena_session(r->memory), cell, length);
        } else if (length || needed) {
            FE_TRY(read_number(r, c, cell, length, &value));
            set_column(buffer, offset, c, value);
        }
    }
    if (i < r->column_count)
        return bad_text(r, FE_CORRUPT, "fewer cells than the header has%s", "");
    if (buffer->fixed) buffer->fixed_offset = *offset;
    if (buffer->fixed && *offset < 0)
        return bad_text(r, FE_CORRUPT, "fixed, but without an offset%s", "");
    return FE_OK;
}

static bool blank_line(const reader *r)
{
    const char *at = r->at;
    while (at < r->end && (*at == ' ' || *at == '\t' || *at == '\r')) at++;
    return at == r->end || *at == '\n';
}

fe_status plan_parse(arena *memory, const char *source, size_t length, plan_text *out)
{
    reader r = {.memory = memory, .at = source, .end = source + length};
    VEC(const char *) ids = {0};
    VEC(plan_buffer) buffers = {0};
    VEC(int64_t) offsets = {0};
    bool complete = true; /* every buffer has an offset */
    FE_TRY(read_header(&r));
    for (r.line = 2; r.at < r.end; r.line++) {
        if (blank_line(&r)) {
            while (r.at < r.end && *r.at++ != '\n') continue;
            continue;
        }
        const char *id = "";
        plan_buffer buffer = {0};
        int64_t offset = -1;
        FE_TRY(read_line(&r, &id, &buffer, &offset));
        vec_push(memory, &ids, id);
        vec_push(memory, &buffers, buffer);
        vec_push(memory, &offsets, offset);
        complete &= offset >= 0;
    }
    bool planned = r.has[COLUMN_OFFSET] && complete;
    *out = (plan_text){.count = buffers.count, .ids = ids.at, .buffers = buffers.at};
    if (planned) out->offsets = offsets.at;
    return FE_OK;
}

void plan_print(const plan_text *plan, text *out)
{
    bool alignment = false;
    bool group = false;
    bool fixed = false;
    for (uint32_t i = 0; i < plan->count; i++) {
        alignment |= plan->buffers[i].alignment != 0;
        group |= plan->buffers[i].group != 0;
        fixed |= plan->buffers[i].fixed;
    }
    bool offset = plan->offsets || fixed;
    text_printf(out, "id,lower,upper,size%s%s%s%s\n", alignment ? ",alignment" : "",
                group ? ",group,group_offset" : "", fixed ? ",fixed" : "", offset ? ",offset" : "");
    for (uint32_t i = 0; i < plan->count; i++) {
        const plan_buffer *b = &plan->buffers[i];
        text_printf(out, "%s,%d,%d,%lld", plan->ids[i], b->birth, b->death, (long long)b->size);
        if (alignment) text_printf(out, ",%lld", (long long)b->alignment);
        if (group) text_printf(out, ",%u,%lld", b->group, (long long)b->group_offset);
        if (fixed) text_printf(out, ",%d", b->fixed);
        if (plan->offsets)
            text_printf(out, ",%lld", (long long)plan->offsets[i]);
        else if (b->fixed)
            text_printf(out, ",%lld", (long long)b->fixed_offset);
        else if (offset)
            text_char(out, ',');
        text_char(out, '\n');
    }
}
