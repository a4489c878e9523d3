/* text.h: bytes of unknown origin, made fit for a terminal. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Prints UTF-8 as it is, but bytes that are none, and the control characters U+0080 to U+009F that could reprogram a
 * terminal, as \xNN. */
void text_print(FILE *file, const unsigned char *bytes, size_t length);

#endif
