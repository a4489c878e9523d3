#include "explore/tape.h"

#include "platform/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char version[] = "/1/";

/* Makes room for this many decisions in all. False: no memory, and the tape is as before. */
static bool make_room(sq__tape_t *tape, size_t room) {
    if (room <= tape->room) {
        return true;
    }
    room = room < 64 ? 64 : room < 2 * tape->room ? 2 * tape->room : room;
    uint32_t *block = sq__memory(2 * room * sizeof *block);
    if (block == NULL) {
        return false;
    }
    if (tape->length > 0) {
        memcpy(block, tape->answers, tape->length * sizeof *block);
        memcpy(block + room, tape->counts, tape->length * sizeof *block);
    }
    sq__memory_free(tape->answers);
    tape->answers = block;
    tape->counts = block + room;
    tape->room = room;
    return true;
}

bool sq__tape_add(sq__tape_t *tape, uint32_t count, uint32_t answer) {
    if (!make_room(tape, tape->length + 1)) {
        return false;
    }
    tape->answers[tape->length] = answer;
    tape->counts[tape->length] = count;
    tape->length += 1;
    return true;
}

bool sq__tape_copy(sq__tape_t *to, const sq__tape_t *from) {
    if (!make_room(to, from->length)) {
        return false;
    }
    if (from->length > 0) {
        memcpy(to->answers, from->answers, from->length * sizeof *to->answers);
        memcpy(to->counts, from->counts, from->length * sizeof *to->counts);
    }
    to->length = from->length;
    return true;
}

void sq__tape_free(sq__tape_t *tape) {
    sq__memory_free(tape->answers);
    *tape = (sq__tape_t){ 0 };
}

void sq__tape_trim(sq__tape_t *tape) {
    while (tape->length > 0 && tape->answers[tape->length - 1] == 0) {
        tape->length -= 1;
    }
}

size_t sq__tape_unusual(const sq__tape_t *tape) {
    size_t unusual = 0;
    for (size_t i = 0; i < tape->length; i += 1) {
        unusual += tape->answers[i] != 0;
    }
    return unusual;
}

/* Text */

static const uint32_t sum_of_nothing = 2166136261u; /* FNV-1a */

static uint32_t add_to_sum(uint32_t sum, const char *text, size_t length) {
    for (size_t i = 0; i < length; i += 1) {
        sum = (sum ^ (unsigned char)text[i]) * 16777619u;
    }
    return sum;
}

static unsigned short_sum(uint32_t sum) { return (sum >> 16 ^ sum) & 0xFFFF; }

static unsigned checksum(const char *text, size_t length) { return short_sum(add_to_sum(sum_of_nothing, text, length)); }

/* Text on its way out. */
typedef struct speller {
    void (*put)(void *context, const char *bytes, size_t length);
    void *context;
    uint32_t sum;
} speller_t;

static void spell(speller_t *speller, const char *bytes, size_t length) {
    speller->sum = add_to_sum(speller->sum, bytes, length);
    speller->put(speller->context, bytes, length);
}

/* Such as ".z12": a signal handler may not call snprintf. */
static void spell_number(speller_t *speller, const char *prefix, size_t number) {
    char digits[20];
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    spell(speller, prefix, strlen(prefix));
    spell(speller, digits + first, sizeof digits - first);
}

/* Spells the answers as tape.h describes: "-" if none is unusual. */
static void spell_answers(speller_t *speller, const sq__tape_t *tape) {
    size_t zeros = 0;
    bool is_first = true;
    for (size_t i = 0; i < tape->length; i += 1) {
        if (tape->answers[i] == 0) {
            zeros += 1;
            continue;
        }
        if (zeros > 0) {
            spell_number(speller, is_first ? "z" : ".z", zeros);
            is_first = false;
        }
        spell_number(speller, is_first ? "" : ".", tape->answers[i]);
        is_first = false;
        zeros = 0;
    }
    if (is_first) {
        spell(speller, "-", 1);
    }
}

void sq__tape_spell(const sq__tape_t *tape, const char *name, void (*put)(void *context, const char *bytes, size_t length), void *context) {
    speller_t speller = { .put = put, .context = context, .sum = sum_of_nothing };
    char end[5] = "/";
    spell(&speller, name, strlen(name));
    spell(&speller, version, sizeof version - 1);
    spell_answers(&speller, tape);
    unsigned sum = short_sum(speller.sum);
    for (int i = 0; i < 4; i += 1) {
        end[1 + i] = "0123456789abcdef"[sum >> (12 - 4 * i) & 0xF];
    }
    put(context, end, sizeof end);
}

static void count_bytes(void *count, const char *bytes, size_t length) {
    (void)bytes;
    *(size_t *)count += length;
}

static void append_bytes(void *end, const char *bytes, size_t length) {
    memcpy(*(char **)end, bytes, length);
    *(char **)end += length;
}

char *sq__tape_write(const sq__tape_t *tape, const char *name) {
    size_t length = 0;
    sq__tape_spell(tape, name, count_bytes, &length);
    char *text = sq__memory(length + 1), *end = text;
    if (text != NULL) {
        sq__tape_spell(tape, name, append_bytes, &end);
        *end = '\0';
    }
    return text;
}

/* Reads a number of at most nine digits; *at is then behind it. False: there is none, or more digits. */
static bool read_number(const char **at, uint32_t *number) {
    unsigned digits = 0;
    *number = 0;
    for (; **at >= '0' && **at <= '9' && digits < 10; *at += 1) {
        *number = *number * 10 + (uint32_t)(**at - '0');
        digits += 1;
    }
    return digits > 0 && digits < 10;
}

enum { MOST_ANSWERS = 10000000 };

/* Appends the answers up to `end`, the last slash, to the tape. Returns 0, ENOMEM or EINVAL, perhaps after some answers. */
static int read_answers(sq__tape_t *tape, const char *at, const char *end) {
    if (end - at == 1 && *at == '-') {
        return 0;
    }
    for (bool more = true; more; at += more) {
        uint32_t number;
        bool is_zeros = *at == 'z';
        at += is_zeros;
        if (!read_number(&at, &number) || tape->length + (is_zeros ? number : 1) > MOST_ANSWERS) {
            return EINVAL;
        }
        for (uint32_t i = 0; i < (is_zeros ? number : 1); i += 1) {
            if (!sq__tape_add(tape, 0, is_zeros ? 0 : number)) {
                return ENOMEM;
            }
        }
        more = *at == '.';
    }
    return at == end ? 0 : EINVAL;
}

bool sq__tape_is_of(const char *text, const char *name) {
    size_t length = strlen(name);
    return strncmp(text, name, length) == 0 && text[length] == '/';
}

int sq__tape_read(sq__tape_t *tape, const char *text, const char *name, const char **reason) {
    const char *end = strrchr(text, '/'), *first = strchr(text, '/');
    unsigned sum;
    char rest;
    *reason = "is damaged: it does not have the form NAME/1/CHOICES/CHECKSUM";
    if (end == NULL || sscanf(end, "/%4x%c", &sum, &rest) != 1) {
        return EINVAL;
    }
    if (sum != checksum(text, (size_t)(end - text))) {
        *reason = "is damaged: its checksum is wrong, a part of it may be missing";
        return EINVAL;
    }
    if (strncmp(first, version, sizeof version - 1) != 0) {
        *reason = "is of another version of this library";
        return EINVAL;
    }
    if (!sq__tape_is_of(text, name)) {
        *reason = "is of another test: its name stands before the first slash";
        return EINVAL;
    }
    tape->length = 0;
    return read_answers(tape, first + sizeof version - 1, end);
}
