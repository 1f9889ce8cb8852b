/* report_page.c -- a report as one HTML page: no resources from elsewhere, light and dark, for screens
 * of any width; tables are sorted by a click on a head. */
#include "driver/report/html.h"
#include "driver/report/report.h"

#include <stdio.h>

static const char style[] =
    ":root{--ink:#1d2430;--dim:#5b6675;--back:#fff;--panel:#f3f5f8;--rule:#d7dde5;--hot:#b3261e;"
    "--bar:#5b8def}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e4e8ee;--dim:#9aa5b3;--back:#14181e;"
    "--panel:#1d232b;--rule:#343d49;--hot:#ff8a80;--bar:#4a78cc}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:1280px;padding:1rem;background:var(--back);color:var(--ink);"
    "font:15px/1.45 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;margin:.2rem 0;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:2rem 0 "
    ".5rem}\n"
    "p{margin:.3rem 0;color:var(--dim)}\n"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.6rem;"
    "margin-top:1rem}\n"
    ".tile{background:var(--panel);border-radius:.5rem;padding:.6rem .8rem}\n"
    ".tile b{display:block;font-size:1.15rem}.tile span{color:var(--dim);font-size:.85rem}\n"
    ".wide{overflow-x:auto;-webkit-overflow-scrolling:touch}\n"
    ".plan{max-width:none;width:100%;min-width:44rem;height:auto}\n"
    "table{border-collapse:collapse;width:100%;font-size:.88rem}\n"
    "th,td{padding:.3rem .6rem;border-bottom:1px solid var(--rule);text-align:left;"
    "vertical-align:top}\n"
    "td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    "th{background:var(--panel);position:sticky;top:0;cursor:pointer;white-space:nowrap}\n"
    "th[aria-sort=ascending]::after{content:\" \\2191\"}"
    "th[aria-sort=descending]::after{content:\" \\2193\"}\n"
    "td.s{min-width:12rem;overflow-wrap:anywhere}tr.peak td{color:var(--hot)}\n"
    ".bar{display:block;height:4px;background:var(--bar);border-radius:2px;margin-top:3px}\n";

static const char script[] =
    "for(const th of document.querySelectorAll('th')){th.tabIndex=0;\n"
    "const sort=()=>{const row=th.parentNode,body=th.closest('table').tBodies[0],"
    "k=[...row.children].indexOf(th),\n"
    "down=th.getAttribute('aria-sort')!='descending'&&(th.classList.contains('n')||"
    "th.getAttribute('aria-sort')=='ascending');\n"
    "for(const o of row.children)o.removeAttribute('aria-sort');\n"
    "th.setAttribute('aria-sort',down?'descending':'ascending');\n"
    "const value=r=>{const c=r.cells[k];return c.dataset.v===undefined?c.textContent:+c.dataset.v};"
    "\n"
    "const rows=[...body.rows].sort((a,b)=>{const x=value(a),y=value(b);"
    "return x<y?-1:x>y?1:0});\n"
    "if(down)rows.reverse();body.append(...rows)};\n"
    "th.addEventListener('click',sort);\n"
    "th.addEventListener('keydown',e=>{if(e.key=='Enter'||e.key==' '){e.preventDefault();sort()}})}"
    "\n";

/* ---- pieces ---- */

static void tile(text *out, const char *what, const char *value, const char *more)
{
    text_printf(out, "<div class=\"tile\"><span>%s</span><b>", what);
    html_escaped(out, value);
    text_add(out, "</b><span>");
    html_escaped(out, more);
    text_add(out, "</span></div>\n");
}

static void bytes_cell(text *out, int64_t bytes)
{
    char room[32];
    text_printf(out, "<td class=\"n\" data-v=\"%lld\">%s</td>", (long long)bytes,
                bytes < 0 ? "" : html_bytes(bytes, room, sizeof room));
}

static void number_cell(text *out, double value, const char *format)
{
    char room[32];
    snprintf(room, sizeof room, format, value);
    text_printf(out, "<td class=\"n\" data-v=\"%.9g\">%s</td>", value, value < 0 ? "" : room);
}

static void text_cell(text *out, const char *s)
{
    text_add(out, "<td class=\"s\">");
    html_escaped(out, s ? s : "");
    text_add(out, "</td>");
}

/* "38.2 ms", "0.41 us"; in `room`, which is returned. */
static const char *time_text(int64_t ns, char *room, size_t size)
{
    if (ns < 1000000)
        snprintf(room, size, "%.2f \xc2\xb5s", (double)ns / 1e3);
    else
        snprintf(room, size, "%.3f ms", (double)ns / 1e6);
    return room;
}

/* "n:Bytes" is a column of numbers. */
static void open_table(text *out, const char *const *heads, uint32_t count)
{
    text_add(out, "<div class=\"wide\"><table><thead><tr>");
    for (uint32_t i = 0; i < count; i++) {
        bool is_number = heads[i][0] == 'n' && heads[i][1] == ':';
        text_printf(out, "<th%s>%s</th>", is_number ? " class=\"n\"" : "",
                    heads[i] + (is_number ? 2 : 0));
    }
    text_add(out, "</tr></thead><tbody>\n");
}

static void close_table(text *out)
{
    text_add(out, "</tbody></table></div>\n");
}

static void bar(text *out, double share)
{
    text_printf(out, "<span class=\"bar\" style=\"width:%.1f%%\"></span>", share * 100);
}

/* ---- sections ---- */

/* What the program was compiled with that changes its memory. */
static void print_options(const report *r, text *out)
{
    char value[64];
    int64_t donated = wrap_donated_bytes(r->d->wrapper);
    if (r->d->options.memory_budget > 0)
        tile(out, "Budget", html_bytes(r->d->options.memory_budget, value, sizeof value),
             "that the arena keeps to");
    if (r->d->options.donate.count)
        tile(out, "Donated", donated < 0 ? "by size" : html_bytes(donated, value, sizeof value),
             "of inputs used as memory");
}

/* What was proven of the order of the steps. */
static void print_order(const report *r, text *out)
{
    const sched_order *order = &r->view.order;
    char value[64], more[96], room[32];
    if (!order->peak) return;
    bool proven = order->peak == order->bound;
    snprintf(
        more, sizeof more, proven ? "%s at once; no order needs less" : "%s at once; none below %s",
        html_bytes(order->peak, value, sizeof value), html_bytes(order->bound, room, sizeof room));
    tile(out, "Order", proven ? "Proven least" : "Best found", more);
}

static void print_tiles(const report *r, text *out)
{
    const wrap_program *w = r->d->wrapper;
    char value[64], more[96], room[32];
    double compile_ms = 0;
    for (int i = 0; i < STAGE_COUNT; i++) compile_ms += r->d->ms[i];
    text_add(out, "<div class=\"tiles\">\n");
    snprintf(more, sizeof more, "%.3f of the least for this order",
             r->view.bound > 0 ? (double)r->view.arena_bytes / (double)r->view.bound : 1.0);
    tile(out, "Arena", html_bytes(r->view.arena_bytes, value, sizeof value), more);
    print_order(r, out);
    if (r->held >= 0)
        tile(out, "Held after a run", html_bytes(r->held, value, sizeof value),
             "with outputs and scratch");
    print_options(r, out);
    tile(out, "Weights", html_bytes(w->weights_bytes, value, sizeof value), "mapped, shared");
    snprintf(value, sizeof value, "%u", w->kernel_calls);
    snprintf(more, sizeof more, "calls of %u kernels, %u steps", w->unique_kernels,
             r->view.step_count);
    tile(out, "Kernels", value, more);
    if (r->run_ns >= 0) {
        snprintf(more, sizeof more, "best of %u", r->runs);
        tile(out, "One run", time_text(r->run_ns, value, sizeof value), more);
    }
    snprintf(value, sizeof value, "%.0f ms", compile_ms);
    snprintf(more, sizeof more, "artifact %s",
             r->d->artifact_bytes ? html_bytes(r->d->artifact_bytes, room, sizeof room)
                                  : "not made");
    tile(out, "Compiled in", value, more);
    text_add(out, "</div>\n");
}

static void print_memory(const report *r, text *out)
{
    text_add(out, "<section id=\"memory\"><h2>Memory over time</h2>\n<p>");
    if (r->view.of_example)
        text_add(out, r->view.sizes_are_given ? "For the sizes that were given. "
                                              : "For the sizes of the example. ");
    text_add(out, "Time runs across, addresses upwards; a block is a buffer.");
    if (r->view.w->segment_count > 1)
        text_add(out, " What lies behind a dotted line has sizes that a run knows only there.");
    text_add(out, "</p>\n<div class=\"wide\">");
    plan_view_svg(&r->view, out);
    text_add(out, "</div></section>\n");
}

static void print_peak(const report *r, text *out)
{
    static const char *const by_line[] = {"Line", "n:Bytes", "n:Share", "n:Buffers"};
    static const char *const by_block[] = {"Buffer", "n:Bytes", "n:Steps", "Holds", "Line"};
    const plan_view *v = &r->view;
    double most = v->most > 0 ? (double)v->most : 1;
    if (!r->peak.count) return;
    text_printf(out, "<section id=\"peak\"><h2>What holds the peak</h2>\n<p>Step %u, ", v->peak);
    html_escaped(out, v->steps[v->peak].what);
    text_printf(out, ": %lld bytes in use.</p>\n", (long long)v->most);
    open_table(out, by_line, COUNT_OF(by_line));
    for (uint32_t i = 0; i < r->lines.count; i++) {
        const report_line *l = &r->lines.at[i];
        text_add(out, "<tr><td class=\"s\">");
        html_escaped(out, l->source);
        bar(out, (double)l->bytes / most > 1 ? 1 : (double)l->bytes / most);
        text_add(out, "</td>");
        bytes_cell(out, l->bytes);
        number_cell(out, (double)l->bytes / most * 100, "%.1f %%");
        number_cell(out, l->buffers, "%.0f");
        text_add(out, "</tr>\n");
    }
    close_table(out);
    text_add(out, "<h2>Buffers at the peak</h2>\n");
    open_table(out, by_block, COUNT_OF(by_block));
    for (uint32_t i = 0; i < r->peak.count; i++) {
        const plan_block *b = &v->blocks.at[r->peak.at[i]];
        text_add(out, "<tr>");
        text_cell(out, b->name);
        bytes_cell(out, b->bytes);
        text_printf(out, "<td class=\"n\" data-v=\"%u\">%u to %u</td>", b->death - b->birth,
                    b->birth, b->death - 1);
        text_cell(out, b->note);
        text_cell(out, b->source);
        text_add(out, "</tr>\n");
    }
    close_table(out);
    text_add(out, "</section>\n");
}

static void print_quantised(const report *r, text *out)
{
    static const char *const heads[] = {"Weight",      "n:Bits",  "n:Rows",  "n:Depth",
                                        "n:As floats", "n:Bytes", "n:Error", "n:Most"};
    if (!r->d->quantised.count) return;
    text_add(out,
             "<section id=\"quantised\"><h2>Weights as integers</h2>\n<p>Error: root of the "
             "mean square, over that of the weight; most: of one element, over the largest.</p>\n");
    open_table(out, heads, COUNT_OF(heads));
    for (uint32_t i = 0; i < r->d->quantised.count; i++) {
        const fe_quantised *q = &r->d->quantised.at[i];
        text_add(out, "<tr>");
        text_cell(out, q->name);
        number_cell(out, q->bits, "%.0f");
        number_cell(out, (double)q->rows, "%.0f");
        number_cell(out, (double)q->depth, "%.0f");
        bytes_cell(out, q->bytes_before);
        bytes_cell(out, q->bytes);
        number_cell(out, 100 * q->error, "%.2f %%");
        number_cell(out, 100 * q->most, "%.2f %%");
        text_add(out, "</tr>\n");
    }
    close_table(out);
    text_add(out, "</section>\n");
}

static void print_lent(const report *r, text *out)
{
    static const char *const heads[] = {"Buffer", "n:Bytes", "n:Steps", "In", "Holds", "Line"};
    const wrap_program *w = r->d->wrapper;
    if (!r->lent.count) return;
    text_add(out, "<section id=\"lent\"><h2>Buffers outside the arena</h2>\n<p>They lie in the "
                  "memory of outputs, or of inputs that are donated.</p>\n");
    open_table(out, heads, COUNT_OF(heads));
    for (uint32_t i = 0; i < r->lent.count; i++) {
        const report_lent *l = &r->lent.at[i];
        const loop_buffer *b = &w->loops->buffers.at[l->buffer],
                          *root = &w->loops->buffers.at[l->root];
        const sched_life *life = &w->storage[l->buffer].life;
        text_add(out, "<tr>");
        text_cell(out, b->name);
        bytes_cell(out, l->bytes);
        text_printf(out, "<td class=\"n\" data-v=\"%u\">%u to %u</td><td class=\"s\">%s ",
                    life->death - life->birth, life->birth, life->death - 1,
                    root->kind == LOOP_INPUT ? "input" : "output");
        html_escaped(out, root->name);
        text_add(out, "</td>");
        text_cell(out, driver_note(r->d, b->origin));
        text_cell(out, driver_source(r->d, b->origin));
        text_add(out, "</tr>\n");
    }
    close_table(out);
    text_add(out, "</section>\n");
}

/* Time, share of the run, bytes in a nanosecond (-1: not known). */
static void time_cells(const report *r, int64_t ns, double rate, text *out)
{
    double share = r->run_ns > 0 && ns > 0 ? (double)ns / (double)r->run_ns : 0;
    number_cell(out, ns < 0 ? -1 : (double)ns / 1e3, "%.2f");
    text_printf(out, "<td class=\"n\" data-v=\"%.6f\">", share);
    if (ns >= 0) text_printf(out, "%.1f %%", share * 100);
    bar(out, share);
    text_add(out, "</td>");
    number_cell(out, rate, "%.1f");
}

static double rate_of(int64_t ns, int64_t read, int64_t written)
{
    return ns > 0 && read >= 0 && written >= 0 ? (double)(read + written) / (double)ns : -1;
}

static void print_kernels(const report *r, text *out)
{
    static const char *const plain[] = {"Kernel", "n:Calls", "n:Read", "n:Written", "What", "Line"};
    static const char *const timed[] = {"Kernel",    "n:Calls", "n:Time &micro;s",
                                        "n:Share",   "n:GB/s",  "n:Read",
                                        "n:Written", "What",    "Line"};
    bool has_times = r->run_ns >= 0;
    text_add(out, "<section id=\"kernels\"><h2>Kernels and operators</h2>\n"
                  "<p>All calls of each together; what and where are those of the first.</p>\n");
    open_table(out, has_times ? timed : plain, has_times ? COUNT_OF(timed) : COUNT_OF(plain));
    for (uint32_t i = 0; i < r->kernels.count; i++) {
        const report_kernel *k = &r->kernels.at[i];
        text_add(out, "<tr>");
        text_cell(out, k->name);
        number_cell(out, k->calls, "%.0f");
        if (has_times)
            time_cells(r, k->ns, k->all_turns_are_known ? rate_of(k->ns, k->read, k->written) : -1,
                       out);
        bytes_cell(out, k->read);
        bytes_cell(out, k->written);
        text_cell(out, k->what);
        text_cell(out, k->source);
        text_add(out, "</tr>\n");
    }
    close_table(out);
    text_add(out, "</section>\n");
}

/* With how often it runs, where that is not once. */
static void what_cell(const report_step *step, text *out)
{
    text_add(out, "<td class=\"s\">");
    html_escaped(out, step->what);
    if (step->is_call && step->turns > 1)
        text_printf(out, " &times;&thinsp;%lld", (long long)step->turns);
    text_add(out, "</td>");
}

static void print_steps(const report *r, text *out)
{
    static const char *const plain[] = {"n:Step",    "What",   "Kernel", "n:Read",
                                        "n:Written", "n:Live", "Line"};
    static const char *const timed[] = {"n:Step",  "What",   "Kernel", "n:Time &micro;s",
                                        "n:Share", "n:GB/s", "n:Read", "n:Written",
                                        "n:Live",  "Line"};
    bool has_times = r->run_ns >= 0;
    text_add(out, "<section id=\"steps\"><h2>Steps</h2>\n");
    if (has_times) text_add(out, "<p>Times are those of the fastest run, on all processors.</p>\n");
    open_table(out, has_times ? timed : plain, has_times ? COUNT_OF(timed) : COUNT_OF(plain));
    for (uint32_t i = 0; i < r->view.step_count; i++) {
        const report_step *step = &r->steps[i];
        text_add(out, i == r->view.peak ? "<tr class=\"peak\">" : "<tr>");
        number_cell(out, i, "%.0f");
        what_cell(step, out);
        text_cell(out, step->kernel);
        if (has_times)
            time_cells(r, step->ns,
                       step->turns > 0 ? rate_of(step->ns, step->read, step->written) : -1, out);
        bytes_cell(out, step->read);
        bytes_cell(out, step->written);
        bytes_cell(out, step->live);
        text_cell(out, step->source);
        text_add(out, "</tr>\n");
    }
    close_table(out);
    text_add(out, "</section>\n");
}

static void print_compile(const report *r, text *out)
{
    static const char *const heads[] = {"Stage", "n:Time ms"};
    text_add(out, "<section id=\"compile\"><h2>Compile time</h2>\n");
    open_table(out, heads, COUNT_OF(heads));
    for (int i = 0; i < STAGE_COUNT; i++) {
        text_add(out, "<tr>");
        text_cell(out, driver_stage_names[i]);
        number_cell(out, r->d->ms[i], "%.1f");
        text_add(out, "</tr>\n");
    }
    close_table(out);
    text_add(out, "</section>\n");
}

void report_page(const report *r, text *out)
{
    text_add(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    html_escaped(out, r->d->name);
    text_printf(out, " - ferrite</title>\n<style>\n%s</style></head>\n<body><h1>", style);
    html_escaped(out, r->d->name);
    text_add(out, "</h1>\n<p>ferrite " FE_VERSION ", kernels for ");
    html_escaped(out, r->d->target->name);
    text_add(out, "</p>\n");
    print_tiles(r, out);
    print_memory(r, out);
    print_peak(r, out);
    print_kernels(r, out);
    print_steps(r, out);
    print_lent(r, out);
    print_quantised(r, out);
    print_compile(r, out);
    text_printf(out, "<script>\n%s</script>\n</body></html>\n", script);
}
