/* proto.h: writing protocol buffers: fields, one after the other, into a file.
 *
 * DESIGN. A message within a message is preceded by its length. It is not known yet when the message begins, so three bytes are
 * kept free for it, which is a valid way of writing a small number. */
#pragma once

#include "platform/kept_file.h"

#include <stddef.h>
#include <stdint.h>

enum { SQ__PROTO_BYTES = 64 * 1024 };

/* Only the reader of a session uses it. */
typedef struct sq__proto {
    sq__kept_file_t *file;
    int error; /* the first errno code of a write; 0: none. From then on nothing is written */
    size_t used;
    unsigned char bytes[SQ__PROTO_BYTES];
} sq__proto_t;

/* A number of any size; texts that are longer than 1,000 bytes are truncated. */
void sq__proto_number(sq__proto_t *proto, unsigned field, uint64_t value);
void sq__proto_fixed64(sq__proto_t *proto, unsigned field, uint64_t value);
void sq__proto_text(sq__proto_t *proto, unsigned field, const char *text);

/* Begins a message; returns what the end needs. */
size_t sq__proto_begin(sq__proto_t *proto, unsigned field);
void sq__proto_end(sq__proto_t *proto, size_t begin);

/* Between two messages at the top, which have at most 16 KB: writes what was collected, if it is much or `all`. After an error it is dropped. */
void sq__proto_flush(sq__proto_t *proto, int all);
