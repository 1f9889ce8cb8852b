/* html.c -- see html.h. */
#include "driver/report/html.h"

#include <stdio.h>

void html_escaped(text *out, const char *s)
{
    for (; *s; s++) {
        if (*s == '<')
            text_add(out, "&lt;");
        else if (*s == '>')
            text_add(out, "&gt;");
        else if (*s == '&')
            text_add(out, "&amp;");
        else if (*s == '"')
            text_add(out, "&quot;");
        else if ((unsigned char)*s < ' ')
            text_char(out, ' ');
        else
            text_char(out, *s);
    }
}

const char *html_bytes(int64_t bytes, char *room, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < COUNT_OF(units); unit++) value /= 1024;
    snprintf(room, size, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return room;
}
