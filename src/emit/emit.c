/* emit.c -- the walk that all targets share. */
#include "emit/emit.h"

fe_status emit_program(const emit_target *target, const emit_input *input, arena *memory,
                       emit_file **files, uint32_t *file_count)
{
    emit_state state = {.input = input, .w = input->wrapper, .memory = memory};
    text_init(&state.out, memory);
    text_init(&state.behind, memory);
    state.names = emit_names(input->wrapper, target->reserved, memory);
    target->begin(&state);
    for (uint32_t i = state.head_lines; i < input->wrapper->lines.count; i++) {
        const wrap_line *line = &input->wrapper->lines.at[i];
        target->line[line->kind](&state, line);
        state.step += wrap_is_step(line);
    }
    target->end(&state);
    *files = state.files.at;
    *file_count = state.files.count;
    return FE_OK;
}
