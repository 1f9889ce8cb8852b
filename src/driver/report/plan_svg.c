/* plan_svg.c -- the arena as a picture: time across, addresses up, a block a buffer; the peak is
 * marked, the largest blocks are named, all say what they are when pointed at. */
#include "driver/report/html.h"
#include "driver/report/plan_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEFT = 90,
    TOP = 50,
    BREADTH = 1100, /* of the plot, in pixels */
    HEIGHT = 560,
    BOTTOM = 60,
    MOST_NAMES = 30,
    LETTER = 7,     /* about as wide, in pixels */
    LINE = 12,      /* as high */
    LEAST_EDGED = 3 /* narrower steps have no edges, which would be all that is seen */
};

typedef struct picture {
    const plan_view *v;
    text *out;
    double step_width, byte_height;
} picture;

static double x_of(const picture *p, uint32_t step)
{
    return LEFT + step * p->step_width;
}

static double y_of(const picture *p, int64_t address)
{
    return TOP + HEIGHT - (double)address * p->byte_height;
}

static void label(const picture *p, double x, double y, const char *anchor, const char *s)
{
    text_printf(p->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    html_escaped(p->out, s);
    text_add(p->out, "</text>\n");
}

static void draw_axes(const picture *p)
{
    char room[64];
    uint32_t every = 1;
    text_printf(p->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"frame\"/>\n",
                LEFT, TOP, BREADTH, HEIGHT);
    for (int i = 0; i <= 4; i++) {
        int64_t address = p->v->arena_bytes * i / 4;
        label(p, LEFT - 8, y_of(p, address) + 4, "end", html_bytes(address, room, sizeof room));
    }
    while (p->v->step_count / every > 20) every *= every % 3 == 2 ? 5 : 2; /* 1 2 10 20 100 ... */
    for (uint32_t step = 0; step < p->v->step_count; step += every) {
        snprintf(room, sizeof room, "%u", step);
        label(p, x_of(p, step) + p->step_width / 2, TOP + HEIGHT + 18, "middle", room);
    }
    label(p, LEFT + BREADTH / 2.0, TOP + HEIGHT + 40, "middle", "step");
}

static void draw_block(const picture *p, uint32_t index)
{
    const plan_block *b = &p->v->blocks.at[index];
    double width = (b->death - b->birth) * p->step_width;
    text_printf(p->out,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                "fill=\"hsl(%u,55%%,%d%%)\"><title>",
                x_of(p, b->birth), y_of(p, b->offset + b->bytes), width,
                (double)b->bytes * p->byte_height, index * 137 % 360,
                b->root == b->buffer ? 65 : 75);
    html_escaped(p->out, b->name);
    text_printf(p->out, ": %lld bytes at %lld, steps %u to %u\n", (long long)b->bytes,
                (long long)b->offset, b->birth, b->death - 1);
    html_escaped(p->out, p->v->steps[b->birth].what);
    text_add(p->out, "</title></rect>\n");
}

static double area_of(const plan_block *b)
{
    return (double)b->bytes * (b->death - b->birth);
}

static int by_area(const void *a, const void *b)
{
    const plan_block *x = *(const plan_block *const *)a, *y = *(const plan_block *const *)b;
    if (area_of(x) != area_of(y)) return area_of(x) > area_of(y) ? -1 : 1;
    return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

typedef struct box {
    double x, y, width, height;
} box;

/* What shares memory has its name in one place too: the largest keeps it. */
static bool is_free(const box *boxes, uint32_t count, const box *b)
{
    for (uint32_t i = 0; i < count; i++) {
        const box *other = &boxes[i];
        if (b->x < other->x + other->width && other->x < b->x + b->width &&
            b->y < other->y + other->height && other->y < b->y + b->height)
            return false;
    }
    return true;
}

static void name_upright(const picture *p, double x, double y, const char *name)
{
    text_printf(p->out,
                "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\" "
                "class=\"name\">",
                x + 4, y);
    html_escaped(p->out, name);
    text_add(p->out, "</text>\n");
}

/* Where its name is written, when there is room for that. */
static bool name_block(const picture *p, const plan_block *b, const box *boxes, uint32_t count,
                       box *taken)
{
    double width = (b->death - b->birth) * p->step_width,
           height = (double)b->bytes * p->byte_height;
    double x = x_of(p, b->birth) + width / 2, y = y_of(p, b->offset + b->bytes) + height / 2;
    double length = (double)strlen(b->name) * LETTER;
    bool lies = length <= width && height >= LINE;
    if (!lies && !(length <= height && width >= LINE)) return false;
    double across = lies ? length : LINE, up = lies ? LINE : length;
    *taken = (box){x - across / 2, y - up / 2, across, up};
    if (!is_free(boxes, count, taken)) return false;
    if (lies)
        label(p, x, y + 4, "middle\" class=\"name", b->name);
    else
        name_upright(p, x, y, b->name);
    return true;
}

static void name_largest(const picture *p)
{
    const plan_view *v = p->v;
    const plan_block **blocks = NEW_ARRAY(p->out->memory, const plan_block *, v->blocks.count + 1);
    box boxes[MOST_NAMES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < v->blocks.count; i++) blocks[i] = &v->blocks.at[i];
    qsort(blocks, v->blocks.count, sizeof(*blocks), by_area);
    for (uint32_t i = 0; i < v->blocks.count && count < MOST_NAMES; i++)
        count += name_block(p, blocks[i], boxes, count, &boxes[count]);
}

/* Where a segment begins: its sizes are known only when the run is there. */
static void draw_segments(const picture *p)
{
    for (uint32_t segment = 1; segment < p->v->w->segment_count; segment++) {
        uint32_t first = p->v->step_count;
        for (uint32_t i = 0; i < p->v->blocks.count; i++) {
            const plan_block *b = &p->v->blocks.at[i];
            if (b->segment == segment && b->birth < first) first = b->birth;
        }
        if (first == p->v->step_count) continue;
        double x = x_of(p, first);
        text_printf(p->out,
                    "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" class=\"segment\">"
                    "<title>segment %u: sizes known only from here</title></line>\n",
                    x, x, TOP, TOP + HEIGHT, segment);
    }
}

static void draw_peak(const picture *p)
{
    char bytes[64];
    double x = x_of(p, p->v->peak) + p->step_width / 2;
    text_printf(p->out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" class=\"peak\"/>\n", x,
                x, TOP, TOP + HEIGHT);
    text_printf(p->out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\" class=\"mark\">peak %s: ", x,
                TOP - 6, x > LEFT + BREADTH / 2.0 ? "end" : "start",
                html_bytes(p->v->most, bytes, sizeof bytes));
    html_escaped(p->out, p->v->steps[p->v->peak].what);
    text_add(p->out, "</text>\n");
}

void plan_view_svg(const plan_view *v, text *out)
{
    uint32_t steps = v->step_count ? v->step_count : 1;
    const int width = LEFT + BREADTH + 20, height = TOP + HEIGHT + BOTTOM;
    picture p = {.v = v, .out = out, .step_width = (double)BREADTH / steps};
    p.byte_height = v->arena_bytes > 0 ? (double)HEIGHT / (double)v->arena_bytes : 0;
    text_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plan%s\" width=\"%d\" height=\"%d\" "
        "viewBox=\"0 0 %d %d\">\n"
        "<style>.plan text { font: 12px sans-serif; fill: var(--ink, #000) } "
        ".plan .name { fill: #000 } .plan rect { stroke: #fff; stroke-width: .5; "
        "fill-opacity: .8 } .dense rect { stroke-width: 0 } .plan .frame { fill: var(--panel, "
        "#f4f4f4); stroke: #888 } "
        ".plan .peak { stroke: var(--hot, #c00); stroke-dasharray: 4 3 } "
        ".plan .segment { stroke: var(--dim, #666); stroke-width: 1.5; stroke-dasharray: 1 4 } "
        ".plan .mark { fill: var(--hot, #c00) }</style>\n",
        p.step_width < LEAST_EDGED ? " dense" : "", width, height, width, height);
    text_printf(out, "<text x=\"%d\" y=\"20\" font-weight=\"bold\">", LEFT);
    html_escaped(out, v->w->name);
    text_printf(out, ": arena of %lld bytes, %lld in use at once, %u buffers%s</text>\n",
                (long long)v->arena_bytes, (long long)v->most, v->blocks.count,
                v->of_example ? " (sizes of the example)" : "");
    draw_axes(&p);
    for (uint32_t i = 0; i < v->blocks.count; i++) draw_block(&p, i);
    name_largest(&p);
    draw_segments(&p);
    if (v->blocks.count) draw_peak(&p);
    text_add(out, "</svg>\n");
}
