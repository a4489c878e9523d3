/* text.c: see text.h. */
#include "text.h"

/* The length of the valid and harmless UTF-8 sequence that begins here; 0 if there is none. */
static size_t sequence(const unsigned char *bytes, size_t length) {
    unsigned char first = bytes[0];
    if (first < 0x80) return 1;
    if (first < 0xc2 || first > 0xf4) return 0;
    size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (size > length) return 0;
    for (size_t i = 1; i < size; i++)
        if ((bytes[i] & 0xc0) != 0x80) return 0;
    unsigned char second = bytes[1];
    if (first == 0xc2 && second < 0xa0) return 0;                                      /* a control character */
    if ((first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90)) return 0; /* longer than need be */
    if ((first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90)) return 0; /* no character */
    return size;
}

void text_print(FILE *file, const unsigned char *bytes, size_t length) {
    for (size_t i = 0, size; i < length; i += size) {
        size = sequence(bytes + i, length - i);
        if (size > 0) {
            fwrite(bytes + i, 1, size, file);
        } else {
            fprintf(file, "\\x%02x", bytes[i]);
            size = 1;
        }
    }
}
