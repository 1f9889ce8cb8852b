/* unit.h -- tests of C interfaces that no text form reaches.
 *
 *     TEST(a_name_that_is_a_sentence)
 *     {
 *         EXPECT(v.count == 3);
 *         EXPECT_INT(v.at[0], 7);
 *         EXPECT_TEXT(out.at, "hello");
 *     }
 *
 * SESSION_TEST(name) is the same with a `session`, inside session_guard as the API's functions are;
 * its body returns a status, FE_OK at the end, and a diagnostic that it returns with is printed. A
 * failed expectation is printed and the test goes on. `build/unit NAME...` runs the tests whose
 * names contain NAME.
 */
#ifndef FERRITE_UNIT_H
#define FERRITE_UNIT_H

#include "base/base.h"

struct unit_test {
    const char *file, *name;
    void (*body)(void);
    struct unit_test *next;
    double seconds; /* that it took */
};
void unit_register(struct unit_test *test);
bool unit_expect(bool good, const char *file, int line, const char *what);
void unit_expect_int(long long got, long long wanted, const char *file, int line, const char *what);
void unit_expect_text(const char *got, const char *wanted, const char *file, int line,
                      const char *what);

#define TEST(name)                                                              \
    static void test_##name(void);                                              \
    static struct unit_test unit_##name = {__FILE__, #name, test_##name, 0, 0}; \
    __attribute__((constructor)) static void register_##name(void)              \
    {                                                                           \
        unit_register(&unit_##name);                                            \
    }                                                                           \
    static void test_##name(void)

void unit_with_session(fe_status (*body)(fe_session *, void *));
#define SESSION_TEST(name)                                         \
    static fe_status body_##name(fe_session *session, void *data); \
    TEST(name)                                                     \
    {                                                              \
        unit_with_session(body_##name);                            \
    }                                                              \
    static fe_status body_##name(fe_session *session, __attribute__((unused)) void *data)

/* EXPECT gives whether it held. */
#define EXPECT(condition) unit_expect((condition), __FILE__, __LINE__, #condition)
#define EXPECT_INT(got, wanted) unit_expect_int((got), (wanted), __FILE__, __LINE__, #got)
#define EXPECT_TEXT(got, wanted) unit_expect_text((got), (wanted), __FILE__, __LINE__, #got)

#endif
