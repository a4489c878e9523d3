/* text.h: texts that the program gives, or that come from memory of other threads, on their way to people: valid UTF-8 without control characters. */
#pragma once

#include "platform/system.h"

#include <stddef.h>

/* Ends the text within `size` bytes, and replaces what cannot be printed, and what is not UTF-8, by '?'. */
void sq__make_printable(char *text, size_t size);

/* How many bytes of the text are shown where there is room for `most`: it is cut between characters. */
size_t sq__text_length(const char *text, size_t most);

/* Copies what fits into `size` bytes, with the NUL. */
void sq__text_copy(char *to, size_t size, const char *from);
