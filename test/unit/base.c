/* base.c -- src/base: memory, arrays, maps, names, text, files, diagnostics, and how failures come
 * back. */
#include "base/base.h"
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- memory ---- */

SESSION_TEST(arena_gives_zeroed_aligned_memory)
{
    arena *a = arena_new(session);
    for (size_t bytes = 0; bytes < 300; bytes++) {
        unsigned char *at = arena_alloc(a, bytes);
        EXPECT((uintptr_t)at % 16 == 0);
        for (size_t i = 0; i < bytes; i++) EXPECT(at[i] == 0);
        memset(at, 0xAB, bytes);
    }
    char *big = arena_alloc(a, 10 << 20);
    EXPECT(big[0] == 0 && big[(10 << 20) - 1] == 0);
    arena_free(a);
    arena_free(NULL);
    return FE_OK;
}

SESSION_TEST(arena_release_drops_what_came_after_the_mark)
{
    arena *a = arena_new(session);
    arena_mark_t empty = arena_mark(a);
    char *kept = arena_strdup(a, "kept");
    size_t before = session->bytes_in_arenas;
    arena_mark_t mark = arena_mark(a);
    char *first = arena_alloc(a, 100);
    memset(first, 1, 100);
    (void)arena_alloc(a, 1 << 20);
    EXPECT(session->bytes_in_arenas >= before + (1 << 20));
    arena_release(a, mark);
    EXPECT_INT(session->bytes_in_arenas, before);
    EXPECT_TEXT(kept, "kept");
    char *again = arena_alloc(a, 100);
    EXPECT(again == first);
    for (int i = 0; i < 100; i++) EXPECT(again[i] == 0);
    arena_release(a, empty);
    EXPECT_TEXT(arena_printf(a, "%d-%s", 7, "x"), "7-x");
    arena_free(a);
    return FE_OK;
}

SESSION_TEST(session_counts_the_bytes_of_all_arenas)
{
    size_t before = session->bytes_in_arenas;
    arena *a = arena_new(session);
    (void)arena_alloc(a, 5 << 20);
    size_t peak = session->peak_bytes;
    EXPECT(peak >= before + (5 << 20));
    arena_free(a);
    EXPECT_INT(session->bytes_in_arenas, before);
    EXPECT_INT(session->peak_bytes, peak);
    return FE_OK;
}

/* ---- arrays, maps, names ---- */

SESSION_TEST(vec_grows_and_keeps_order)
{
    VEC(int) v = {0};
    for (int i = 0; i < 10000; i++) vec_push(session->memory, &v, i * 3);
    EXPECT_INT(v.count, 10000);
    for (int i = 0; i < 10000; i++) EXPECT(v.at[i] == i * 3);
    EXPECT_INT(vec_last(&v), 29997);
    VEC(lex_token) wide = {0};
    vec_reserve(session->memory, &wide, 3);
    EXPECT(wide.capacity >= 3 && wide.count == 0);
    return FE_OK;
}

/* A map against a plain array, through many random sets and removals. */
SESSION_TEST(map_agrees_with_an_array)
{
    enum { KEYS = 500 };
    uint32_t expected[KEYS];
    for (int i = 0; i < KEYS; i++) expected[i] = MAP_NONE;
    map m = {0};
    uint64_t random = 1;
    EXPECT(map_get(&m, 3) == MAP_NONE && !map_remove(&m, 3));
    for (uint32_t step = 0; step < 20000; step++) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        uint64_t key = (random >> 33) % KEYS;
        if (random >> 62) {
            map_set(session->memory, &m, key << 20, step);
            expected[key] = step;
        } else {
            EXPECT(map_remove(&m, key << 20) == (expected[key] != MAP_NONE));
            expected[key] = MAP_NONE;
        }
        uint64_t other = (random >> 20) % KEYS;
        EXPECT(map_get(&m, other << 20) == expected[other]);
    }
    uint32_t live = 0;
    for (int i = 0; i < KEYS; i++) live += expected[i] != MAP_NONE;
    EXPECT_INT(m.count, live);
    return FE_OK;
}

SESSION_TEST(intern_gives_equal_pointers_for_equal_texts)
{
    const char *names[3000];
    char name[32];
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "name%d", i);
        names[i] = intern(session, name);
    }
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "name%d", i);
        EXPECT(intern(session, name) == names[i]);
        EXPECT_TEXT(names[i], name);
    }
    EXPECT(intern_n(session, "name12345", 6) == names[12]);
    EXPECT(intern(session, "") == intern_n(session, "x", 0));
    return FE_OK;
}

/* ---- text ---- */

static const char *printed(fe_session *session, double value)
{
    text t;
    text_init(&t, session->memory);
    text_double(&t, value);
    return t.at;
}

SESSION_TEST(text_double_is_short_and_reads_back)
{
    EXPECT_TEXT(printed(session, 1.0), "1.0");
    EXPECT_TEXT(printed(session, -0.0), "-0.0");
    EXPECT_TEXT(printed(session, 0.1), "0.1");
    EXPECT_TEXT(printed(session, 1.0 / 3), "0.3333333333333333");
    EXPECT_TEXT(printed(session, 1e22), "1e+22");
    EXPECT_TEXT(printed(session, 123456789.0), "123456789.0");
    EXPECT_TEXT(printed(session, 5e-324), "5e-324");
    EXPECT_TEXT(printed(session, 7.120236347223045e-307), "7.120236347223045e-307");
    EXPECT_TEXT(printed(session, 9007199254740993.0), "9007199254740992.0");
    EXPECT_TEXT(printed(session, 1.7976931348623157e308), "1.7976931348623157e+308");
    EXPECT_TEXT(printed(session, (double)INFINITY), "inf");
    EXPECT_TEXT(printed(session, -(double)INFINITY), "-inf");
    EXPECT_TEXT(printed(session, (double)NAN), "nan");
    uint64_t bits = 12345;
    for (int i = 0; i < 20000; i++) {
        bits = bits * 6364136223846793005ull + 1442695040888963407ull;
        double value;
        memcpy(&value, &bits, sizeof value);
        arena_mark_t mark = arena_mark(session->memory);
        if (isfinite(value)) EXPECT(strtod(printed(session, value), NULL) == value);
        arena_release(session->memory, mark);
    }
    return FE_OK;
}

SESSION_TEST(text_indents_quotes_and_grows)
{
    text t;
    text_init(&t, session->memory);
    text_line(&t, "a %d", 1);
    t.indent = 2;
    text_line(&t, "b");
    text_quoted(&t, "q\"\\\n\t\x01 é");
    EXPECT_TEXT(t.at, "a 1\n    b\n\"q\\\"\\\\\\n\\t\\x01 é\"");
    for (int i = 0; i < 1000; i++) text_printf(&t, "%04d", i);
    EXPECT_INT(t.length, strlen(t.at));
    EXPECT_TEXT(t.at + t.length - 4, "0999");
    return FE_OK;
}

/* ---- the lexer ---- */

/* All tokens of a text in one line: kind, text, and values of numbers. */
static const char *lexed(fe_session *session, const char *source)
{
    static const char *const KINDS[] = {"end", "name",  "value",  "buffer",
                                        "int", "float", "string", "punct"};
    lexer lx;
    text out;
    text_init(&out, session->memory);
    for (lex_init(&lx, session, "test", source, strlen(source)); lx.token.kind != LEX_END;
         lex_next(&lx)) {
        text_printf(&out, "%s%s:%s", lx.token.first_on_line ? "|" : " ", KINDS[lx.token.kind],
                    lx.token.text);
        if (lx.token.kind == LEX_INT) text_printf(&out, "=%lld", (long long)lx.token.integer);
        if (lx.token.kind == LEX_FLOAT) {
            text_char(&out, '=');
            text_double(&out, lx.token.number);
        }
    }
    return out.at;
}

SESSION_TEST(words_are_counted_whole)
{
    (void)session;
    EXPECT_INT(text_count_word("f64 x = k_mul_f646ee((f64)y, f64x8, _f64);", "f64"), 2);
    EXPECT_INT(text_count_word("", "f64"), 0);
    EXPECT_INT(text_count_word("f64", "f64"), 1);
    return FE_OK;
}

SESSION_TEST(lexer_reads_each_kind)
{
    EXPECT_TEXT(lexed(session, "a.b_1 %x @y"), "|name:a.b_1 value:x buffer:y");
    EXPECT_TEXT(
        lexed(session, "12 -3 1.5e-3 -inf inf nan 2e5 -0.5"),
        "|int:12=12 int:-3=-3 float:1.5e-3=0.0015 float:-inf=-inf float:inf=inf float:nan=nan "
        "float:2e5=200000.0 float:-0.5=-0.5");
    EXPECT_TEXT(lexed(session, "9223372036854775807 -9223372036854775808"),
                "|int:9223372036854775807=9223372036854775807 "
                "int:-9223372036854775808=-9223372036854775808");
    EXPECT_TEXT(lexed(session, "\"a\\\"\\\\\\n\\x41\""), "|string:a\"\\\nA");
    EXPECT_TEXT(lexed(session, "->==<=//a % 2 - 1"),
                "|punct:-> punct:== punct:<= punct:// name:a punct:% int:2=2 punct:- int:1=1");
    EXPECT_TEXT(lexed(session, "f32[s0,64] # all of it\n  b:\n\n#\nc"),
                "|name:f32 punct:[ name:s0 punct:, int:64=64 punct:]|name:b punct::|name:c");
    EXPECT_TEXT(lexed(session, ""), "");
    EXPECT_INT(session->diag_count, 0);
    return FE_OK;
}

static const char *only_error(fe_session *session, const char *source)
{
    session->first_diag = session->last_diag = NULL;
    lexed(session, source);
    text out;
    text_init(&out, session->memory);
    diag_print(session, &out);
    return out.at;
}

SESSION_TEST(lexer_reports_the_first_error_with_its_place)
{
    EXPECT_TEXT(only_error(session, "a\n  \"b\nc \""),
                "error: test: the string is not closed on its line (found the end)\n  at line 2, "
                "column 3\n");
    EXPECT_TEXT(only_error(session, "9223372036854775808"),
                "error: test: the integer does not fit in 64 bits (found '9223372036854775808')\n"
                "  at line 1, column 1\n");
    EXPECT_TEXT(
        only_error(session, "a \x01"),
        "error: test: character 0x01 has no meaning here (found the end)\n  at line 1, column 3\n");
    EXPECT_TEXT(only_error(session, "\"\\q\""),
                "error: test: unknown escape in a string (found the end)\n  at line 1, column 1\n");
    return FE_OK;
}

SESSION_TEST(lexer_expectations_step_or_fail)
{
    static const char SOURCE[] = "alloc %a @b 3 \"s\" -> )";
    lexer lx;
    const char *name;
    int64_t integer;
    lex_init(&lx, session, "test", SOURCE, strlen(SOURCE));
    EXPECT(lex_is(&lx, "alloc") && !lex_take(&lx, "free"));
    EXPECT(lex_name(&lx, &name) == FE_OK);
    EXPECT_TEXT(name, "alloc");
    EXPECT(lex_value(&lx, &name) == FE_OK);
    EXPECT_TEXT(name, "a");
    EXPECT(lex_buffer(&lx, &name) == FE_OK);
    EXPECT(lex_int(&lx, &integer) == FE_OK);
    EXPECT_INT(integer, 3);
    EXPECT(lex_string(&lx, &name) == FE_OK);
    EXPECT_TEXT(name, "s");
    EXPECT(lex_expect(&lx, "->") == FE_OK);
    EXPECT_INT(lex_finish(&lx), FE_CORRUPT);
    EXPECT_INT(lex_expect(&lx, "more"), FE_CORRUPT);
    EXPECT_INT(session->diag_count, 1);
    EXPECT_TEXT(session->first_diag->message, "expected the end of the text (found ')')");
    return FE_OK;
}

/* ---- failures ---- */

SESSION_TEST(diagnostics_print_what_is_known)
{
    diag whole = {.status = FE_UNSUPPORTED,
                  .stage = "lower",
                  .op = "aten.foo.default",
                  .place = "node foo_3",
                  .source = "model.py:12 in forward",
                  .help = "rewrite it"};
    EXPECT_INT(diag_fail(session, whole, "rank %d", 7), FE_UNSUPPORTED);
    EXPECT_INT(diag_fail(session, (diag){.status = FE_USAGE}, "no input"), FE_USAGE);
    EXPECT_INT(diag_fail(session,
                         (diag){.status = FE_MISMATCH, .stage = "infer", .op = "aten.add.Tensor"},
                         "differs"),
               FE_MISMATCH);
    text out;
    text_init(&out, session->memory);
    diag_print(session, &out);
    EXPECT_TEXT(out.at, "error: lower: cannot lower aten.foo.default: rank 7\n"
                        "  at node foo_3\n"
                        "  source model.py:12 in forward\n"
                        "  help: rewrite it\n"
                        "error: no input\n"
                        "error: infer: aten.add.Tensor: differs\n");
    return FE_OK;
}

static fe_status fails_a_check(fe_session *session, void *data)
{
    int *reached = data;
    *reached = 1;
    CHECK(session, *reached == 2);
    *reached = 3;
    return FE_OK;
}

SESSION_TEST(a_failed_check_comes_back_as_internal)
{
    int reached = 0;
    jmp_buf *outer = session->escape;
    EXPECT_INT(session_guard(session, fails_a_check, &reached), FE_INTERNAL);
    EXPECT_INT(reached, 1);
    EXPECT(session->escape == outer);
    EXPECT(session->first_diag && strstr(session->first_diag->message, "base.c:"));
    EXPECT(session->first_diag &&
           strstr(session->first_diag->message, "check failed: *reached == 2"));
    return FE_OK;
}

static fe_status allocates_for_ever(fe_session *session, void *data)
{
    (void)data;
    for (int i = 0; i < 1000; i++) (void)arena_alloc(session->memory, 100000);
    return FE_OK;
}

static fe_status allocates_a_negative_count(fe_session *session, void *data)
{
    volatile int64_t count = -3;
    *(int **)data = NEW_ARRAY(session->memory, int, count);
    return FE_OK;
}

SESSION_TEST(lack_of_memory_comes_back_as_a_status)
{
    session->memory_limit = 8 << 20;
    EXPECT_INT(session_guard(session, allocates_for_ever, NULL), FE_NO_MEMORY);
    EXPECT(session->bytes_in_arenas <= session->memory_limit);
    EXPECT_INT(session->diag_count, 1);
    EXPECT_INT(session_guard(session, allocates_for_ever, NULL), FE_NO_MEMORY);
    EXPECT_INT(session->diag_count, 1);
    session->memory_limit = 0;
    int *never = NULL;
    EXPECT_INT(session_guard(session, allocates_a_negative_count, &never), FE_NO_MEMORY);
    EXPECT(never == NULL);
    return FE_OK;
}

/* ---- files ---- */

SESSION_TEST(files_are_written_read_and_mapped)
{
    char folder[] = "/tmp/ferrite-unit-XXXXXX";
    if (!EXPECT(mkdtemp(folder) != NULL)) return FE_IO;
    const char *deep = arena_printf(session->memory, "%s/a/bc/", folder);
    const char *path = arena_printf(session->memory, "%sfile", deep);
    EXPECT(file_make_dirs(session, deep) == FE_OK);
    EXPECT(file_make_dirs(session, deep) == FE_OK);
    EXPECT(!file_exists(path));
    EXPECT(file_write(session, path, "one", 3) == FE_OK);
    EXPECT(file_write(session, path, "three", 5) == FE_OK);
    char *content;
    size_t length;
    EXPECT(file_read(session, session->memory, path, &content, &length) == FE_OK);
    EXPECT_INT(length, 5);
    EXPECT_TEXT(content, "three");
    mapped_file file;
    EXPECT(file_map(session, path, &file) == FE_OK);
    EXPECT(file.size == 5 && memcmp(file.data, "three", 5) == 0);
    file_unmap(&file);
    EXPECT(file_write(session, path, "", 0) == FE_OK);
    EXPECT(file_map(session, path, &file) == FE_OK);
    EXPECT(file.size == 0 && file.data == NULL);
    EXPECT_INT(session->diag_count, 0);
    EXPECT_INT(file_make_dirs(session, arena_printf(session->memory, "%s/x", path)), FE_IO);
    EXPECT_INT(file_map(session, deep, &file), FE_IO);
    EXPECT_INT(file_map(session, "/nonexistent/x", &file), FE_IO);
    EXPECT_TEXT(session->last_diag->message,
                "cannot open /nonexistent/x: No such file or directory");
    EXPECT(file_write(session, "/dev/null", "x", 1) == FE_OK);
    unlink(path);
    rmdir(deep);
    rmdir(arena_printf(session->memory, "%s/a", folder));
    EXPECT_INT(rmdir(folder), 0);
    return FE_OK;
}
