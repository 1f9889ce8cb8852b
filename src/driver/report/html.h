/* html.h -- text for pages and pictures. */
#ifndef FERRITE_DRIVER_HTML_H
#define FERRITE_DRIVER_HTML_H

#include "base/base.h"

/* As it must stand between tags and in quoted attributes. */
void html_escaped(text *out, const char *s);
/* "3.2 MiB"; in `room`, which is returned. */
const char *html_bytes(int64_t bytes, char *room, size_t size);

#endif
