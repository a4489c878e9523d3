#include "explore/reason.h"

#include "explore/choose.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The length of the number that begins here: of digits, or 0x1a2b. */
static size_t number_length(const char *text) {
    size_t digits = strspn(text, "0123456789");
    return digits == 1 && text[0] == '0' && text[1] == 'x' ? 2 + strspn(text + 2, "0123456789abcdefABCDEF") : digits;
}

/* A sentence or a clause ends here: with what, depends on the order in which the message names things. */
static bool is_end(const char *text) { return strchr(".,;", text[0]) != NULL && (text[1] == '\0' || isspace((unsigned char)text[1])); }

uint64_t sq__reason(const char *message) {
    static const uint64_t no_word = 14695981039346656037u; /* FNV-1a */
    uint64_t sum = 0, word = no_word;
    char before = ' ';
    for (const char *at = message != NULL ? message : ""; *at != '\0'; at += 1) {
        size_t number = before != ':' ? number_length(at) : 0;
        if (number > 0) {
            at += number - 1;
        } else if (isspace((unsigned char)*at)) {
            sum += word != no_word ? sq__mix(word) : 0;
            word = no_word;
        } else if (!is_end(at)) {
            word = (word ^ (unsigned char)*at) * 1099511628211u;
        }
        before = number > 0 || (before == ':' && isdigit((unsigned char)*at)) ? before : *at;
    }
    return sum + (word != no_word ? sq__mix(word) : 0);
}
