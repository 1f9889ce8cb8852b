/* emit.c -- src/emit: a target has a printer for every line, names are legal and different. The
 * lines themselves are tested by texts in test/emit. */
#include "emit/emit.h"
#include "exec/exec.h"
#include "unit.h"

#include <string.h>

static const emit_target *const printers[] = {&emit_target_c, &emit_target_python, &emit_target_fx};

TEST(every_target_has_a_slot_for_every_line)
{
    for (int k = 0; k < WRAP_KIND_COUNT; k++) {
        for (size_t i = 0; i < COUNT_OF(printers); i++)
            if (!EXPECT(printers[i]->line[k] != NULL))
                EXPECT_TEXT(wrap_kind_name((wrap_kind)k), printers[i]->name);
        if (!EXPECT(exec_lines[k] != NULL)) EXPECT_TEXT(wrap_kind_name((wrap_kind)k), "process");
    }
    for (size_t i = 0; i < COUNT_OF(printers); i++)
        EXPECT(printers[i]->begin != NULL && printers[i]->end != NULL);
}

SESSION_TEST(names_in_c_are_legal_and_different)
{
    static const char source[] = "program names\n"
                                 "input  @x.y : f32[s0] strides [1]\n"
                                 "input  @x_y : f32[2] strides [1]\n"
                                 "const  @int : f32[2] strides [1]\n"
                                 "const  @0.weight : f32[2] strides [1]\n"
                                 "temp   @int64_t : f32[2] strides [1]\n"
                                 "temp   @rt_launch : f32[2] strides [1]\n"
                                 "temp   @s0 : f32[2] strides [1]\n"
                                 "temp   @f : f32[2] strides [1]\n"
                                 "temp   @arena : f32[2] strides [1]\n"
                                 "wrapper arena 0 bound 0 weights 0 kernels 0 calls 0\n";
    static const char *const wanted[] = {"x_y",         "x_y_1", "int_", "_0_weight", "b_int64_t",
                                         "b_rt_launch", "b_s0",  "f_",   "arena_"};
    wrap_program *w;
    FE_TRY(wrap_parse(session, session->memory, source, sizeof source - 1, &w));
    const char **names = emit_names(w, emit_c_words, session->memory);
    EXPECT_INT(w->loops->buffers.count, COUNT_OF(wanted));
    for (uint32_t i = 0; i < w->loops->buffers.count; i++) EXPECT_TEXT(names[i], wanted[i]);
    return FE_OK;
}
