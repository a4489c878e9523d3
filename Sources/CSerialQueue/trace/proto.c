#include "trace/proto.h"

#include "platform/text.h"

#include <string.h>

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, MOST_OF_A_TEXT = 1000, LENGTH = 3, MOST_OF_A_MESSAGE = 16 * 1024 };

/* Appends a number, with fewer bytes if it is small. There is room: see sq__proto_flush. */
static void put(sq__proto_t *proto, uint64_t value) {
    while (value >= 0x80) {
        proto->bytes[proto->used++] = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    proto->bytes[proto->used++] = (unsigned char)value;
}

void sq__proto_number(sq__proto_t *proto, unsigned field, uint64_t value) {
    put(proto, field << 3 | VARINT);
    put(proto, value);
}

void sq__proto_fixed64(sq__proto_t *proto, unsigned field, uint64_t value) {
    put(proto, field << 3 | FIXED64);
    for (unsigned i = 0; i < 8; i += 1) {
        proto->bytes[proto->used++] = (unsigned char)(value >> 8 * i);
    }
}

void sq__proto_text(sq__proto_t *proto, unsigned field, const char *text) {
    size_t length = sq__text_length(text, MOST_OF_A_TEXT);
    put(proto, field << 3 | BYTES);
    put(proto, length);
    memcpy(&proto->bytes[proto->used], text, length);
    proto->used += length;
}

size_t sq__proto_begin(sq__proto_t *proto, unsigned field) {
    put(proto, field << 3 | BYTES);
    proto->used += LENGTH;
    return proto->used;
}

void sq__proto_end(sq__proto_t *proto, size_t begin) {
    size_t length = proto->used - begin;
    proto->bytes[begin - 3] = (unsigned char)(length | 0x80);
    proto->bytes[begin - 2] = (unsigned char)(length >> 7 | 0x80);
    proto->bytes[begin - 1] = (unsigned char)(length >> 14 & 0x7F);
}

void sq__proto_flush(sq__proto_t *proto, int all) {
    if (proto->used == 0 || (!all && proto->used < sizeof proto->bytes - MOST_OF_A_MESSAGE)) {
        return;
    }
    if (proto->error == 0) {
        proto->error = sq__kept_file_write(proto->file, proto->bytes, proto->used);
    }
    proto->used = 0;
}
