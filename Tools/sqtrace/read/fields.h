/* fields.h: the fields of a protobuf message: a key (number and type) and a value: a varint, eight bytes, or a length and so many bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fields {
    const uint8_t *at, *end;
    const uint8_t *data;     /* the first byte that is in memory */
    uint64_t offset, packet; /* of that byte in the file, and of the packet that this is a part of */
} fields_t;

typedef struct field {
    uint64_t number, value; /* of a text or a message its length */
    const uint8_t *bytes;   /* its bytes; NULL: it is a number */
} field_t;

/* Takes the next field that has a number in `spans` if it is a text or a message, and none of those otherwise; the others are skipped. `spans`: a bit
 * for each number. False: there is none. Ends the process if the message is damaged. */
bool next_field(fields_t *fields, uint64_t spans, field_t *field);

/* The fields of the message that is this field. */
fields_t fields_of(const fields_t *outer, const field_t *field);

/* Takes a varint. 0: it ends beyond `end`; -1: it is too long. */
int take_varint(const uint8_t **at, const uint8_t *end, uint64_t *value);

_Noreturn void stop_at(uint64_t offset);
