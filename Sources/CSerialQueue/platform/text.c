#include "platform/text.h"

#include <stdbool.h>
#include <string.h>

static bool is_continuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

/* The bytes of the printable character that begins here. 0: there is none, or none in UTF-8 (Unicode, table 3-7). */
static size_t character_size(const unsigned char *text) {
    unsigned char lead = text[0], least = 0x80, most = 0xBF;
    if (lead < 0x80) {
        return lead >= ' ' && lead != 0x7F;
    }
    size_t size = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    switch (lead) {
    case 0xC2: least = 0xA0; break; /* below: control characters */
    case 0xE0: least = 0xA0; break; /* below: as long as one of two bytes */
    case 0xED: most = 0x9F; break;  /* above: surrogates */
    case 0xF0: least = 0x90; break;
    case 0xF4: most = 0x8F; break;
    default: break;
    }
    if (size == 0 || text[1] < least || text[1] > most) {
        return 0;
    }
    for (size_t i = 2; i < size; i += 1) {
        if (!is_continuation(text[i])) { /* the text may end here */
            return 0;
        }
    }
    return size;
}

void sq__make_printable(char *text, size_t size) {
    text[size - 1] = '\0';
    while (*text != '\0') {
        size_t length = character_size((const unsigned char *)text);
        if (length == 0) {
            *text = '?';
            length = 1;
        }
        text += length;
    }
}

size_t sq__text_length(const char *text, size_t most) {
    size_t length = strlen(text);
    if (length > most) {
        length = most;
        while (length > 0 && is_continuation((unsigned char)text[length])) {
            length -= 1;
        }
    }
    return length;
}

void sq__text_copy(char *to, size_t size, const char *from) {
    size_t length = sq__text_length(from, size - 1);
    memcpy(to, from, length);
    to[length] = '\0';
}
