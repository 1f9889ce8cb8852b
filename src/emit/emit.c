/* emit.c -- the walk that all targets share. */
#include "emit/emit.h"

/* Chains every buffer behind its root, in buffer order. */
static loop_buffer_id *alias_chains(const wrap_program *w, arena *memory)
{
    uint32_t count = w->loops->buffers.count;
    loop_buffer_id *next = NEW_ARRAY(memory, loop_buffer_id, count + 1);
    for (loop_buffer_id id = 0; id < count; id++) next[id] = LOOP_NO_BUFFER;
    for (loop_buffer_id id = count; id-- > 0;) {
        loop_buffer_id root = w->lives[id].root;
        if (root == id) continue;
        next[id] = next[root];
        next[root] = id;
    }
    return next;
}

fe_status emit_program(const emit_target *target, const emit_input *input, arena *memory,
                       emit_file **files, uint32_t *file_count)
{
    emit_state state = {.input = input, .w = input->wrapper, .memory = memory};
    text_init(&state.out, memory);
    state.names = emit_names(input->wrapper, memory);
    state.next_alias = alias_chains(input->wrapper, memory);
    target->begin(&state);
    for (uint32_t i = 0; i < input->wrapper->lines.count; i++) {
        const wrap_line *line = &input->wrapper->lines.at[i];
        target->line[line->kind](&state, line);
    }
    target->end(&state);
    *files = state.files.at;
    *file_count = state.files.count;
    return FE_OK;
}
