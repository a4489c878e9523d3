#include "fields.h"
#include "store.h"

#include <string.h>

void stop_at(uint64_t offset) {
    if (offset == 0) {
        stop("it is no trace of SerialQueue");
    }
    stop("it is no trace of SerialQueue, or damaged at byte %llu", (unsigned long long)offset);
}

int take_varint(const uint8_t **at, const uint8_t *end, uint64_t *value) {
    uint64_t result = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (*at >= end) {
            return 0;
        }
        uint8_t byte = *(*at)++;
        result |= (uint64_t)(byte & 0x7F) << shift; /* of the tenth byte one bit counts */
        if (byte < 0x80) {
            *value = result;
            return 1;
        }
    }
    return -1;
}

static uint64_t varint(fields_t *fields) {
    uint64_t value;
    int result = take_varint(&fields->at, fields->end, &value);
    if (result == 1) {
        return value;
    }
    stop_at(result == 0 ? fields->packet : fields->offset + (uint64_t)(fields->at - fields->data));
}

bool next_field(fields_t *fields, uint64_t spans, field_t *field) {
    while (fields->at < fields->end) {
        const uint8_t *begin = fields->at;
        uint64_t key = varint(fields);
        unsigned type = key & 7;
        field->number = key >> 3;
        field->bytes = NULL;
        if (type == 0 || type == 2) {
            field->value = varint(fields);
        } else if (type != 1) {
            stop_at(fields->offset + (uint64_t)(begin - fields->data));
        }
        uint64_t length = type == 2 ? field->value : type == 1 ? 8 : 0;
        if (length > (uint64_t)(fields->end - fields->at)) {
            stop_at(fields->packet);
        }
        if (type == 1) {
            field->value = 0;
            for (unsigned i = 0; i < 8; i += 1) {
                field->value |= (uint64_t)fields->at[i] << 8 * i;
            }
        } else if (type == 2) {
            field->bytes = fields->at;
        }
        fields->at += length;
        if ((type == 2) == (field->number < 64 && (spans >> field->number & 1))) {
            return true;
        }
    }
    return false;
}

fields_t fields_of(const fields_t *outer, const field_t *field) {
    fields_t fields = *outer;
    fields.at = field->bytes;
    fields.end = field->bytes + field->value;
    return fields;
}
