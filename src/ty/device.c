/* device.c -- kinds of devices and their names. */
#include "ty/ty.h"

#include <string.h>

const char *const ty_device_words[TY_DEVICE_KINDS] = {
#define DEVICE(kind, name) [TY_##kind] = name,
#include "ty/device.def"
#undef DEVICE
};

bool ty_device_kind_of(const char *name, size_t length, ty_device_kind *out)
{
    for (uint32_t k = 0; k < TY_DEVICE_KINDS; k++)
        if (strlen(ty_device_words[k]) == length && memcmp(name, ty_device_words[k], length) == 0) {
            *out = (ty_device_kind)k;
            return true;
        }
    return false;
}

const char *ty_device_name(arena *a, ty_device d)
{
    const char *kind = ty_device_words[d.kind];
    return d.index < 0 ? kind : arena_printf(a, "%s%d", kind, d.index);
}

void ty_print_device(ty_device d, text *out)
{
    text_add(out, ty_device_words[d.kind]);
    if (d.index >= 0) text_printf(out, ":%d", d.index);
}

void ty_print_place(ty_device d, text *out)
{
    if (!ty_is_host(d)) text_printf(out, " %s %d", ty_device_words[d.kind], d.index);
}

fe_status ty_parse_place(lexer *lx, ty_device *out)
{
    int64_t index;
    *out = TY_HOST;
    for (uint32_t k = 0; k < TY_DEVICE_KINDS; k++) {
        if (k == TY_CPU || !lex_take(lx, ty_device_words[k])) continue;
        FE_TRY(lex_int(lx, &index));
        if (index < -1 || index > INT32_MAX) return lex_fail(lx, "no such device");
        *out = (ty_device){(ty_device_kind)k, (int32_t)index};
    }
    return FE_OK;
}
