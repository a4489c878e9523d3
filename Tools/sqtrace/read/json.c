#include "json.h"
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char buffer[1 << 16];
static size_t used;
static bool follows; /* a value of the same list */

static void put(char byte) {
    if (used == sizeof buffer) {
        json_end();
    }
    buffer[used++] = byte;
}

static void separate(void) {
    if (follows) {
        put(',');
    }
    follows = true;
}

void json_open(char bracket) {
    separate();
    put(bracket);
    follows = false;
}

void json_close(char bracket) {
    put(bracket);
    follows = true;
}

void json_text(const char *at, size_t length) {
    static const char digits[] = "0123456789abcdef";
    separate();
    put('"');
    for (size_t i = 0; i < length; i += 1) {
        unsigned char byte = (unsigned char)at[i];
        if (byte < 0x20) {
            const char escaped[] = { '\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15] };
            for (size_t k = 0; k < sizeof escaped; k += 1) {
                put(escaped[k]);
            }
        } else {
            if (byte == '"' || byte == '\\') {
                put('\\');
            }
            put((char)byte);
        }
    }
    put('"');
}

void json_name(const char *name) {
    json_text(name, strlen(name));
    put(':');
    follows = false;
}

void json_number(uint64_t number) {
    char text[20];
    size_t at = sizeof text;
    do {
        text[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    separate();
    while (at < sizeof text) {
        put(text[at++]);
    }
}

void json_index(uint32_t index) {
    if (index == NONE) {
        separate();
        put('-');
        put('1');
    } else {
        json_number(index);
    }
}

void json_line(void) {
    put('\n');
    follows = false;
}

void json_end(void) {
    if (fwrite(buffer, 1, used, stdout) < used) {
        exit(1); /* nobody reads it */
    }
    used = 0;
}
