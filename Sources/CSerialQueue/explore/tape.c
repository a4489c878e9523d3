#include "explore/tape.h"

#include "platform/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char version[] = "/1/";

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

static unsigned checksum(const char *text, size_t length) {
    uint32_t sum = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < length; i += 1) {
        sum = (sum ^ (unsigned char)text[i]) * 16777619u;
    }
    return (sum >> 16 ^ sum) & 0xFFFF;
}

char *sq__tape_write(const sq__tape_t *tape, const char *name) {
    size_t room = strlen(name) + tape->length * 11 + 32, used;
    char *text = sq__memory(room);
    if (text == NULL) {
        return NULL;
    }
    used = (size_t)snprintf(text, room, "%s%s", name, version);
    for (size_t i = 0; i < tape->length; i += 1) {
        size_t zeros = 0;
        while (i + zeros < tape->length && tape->answers[i + zeros] == 0) {
            zeros += 1;
        }
        if (i + zeros == tape->length) {
            break;
        }
        if (zeros > 0) {
            used += (size_t)snprintf(text + used, room - used, "z%zu.", zeros);
            i += zeros;
        }
        used += (size_t)snprintf(text + used, room - used, "%u.", (unsigned)tape->answers[i]);
    }
    if (text[used - 1] == '/') {
        text[used++] = '-';
    } else {
        used -= 1; /* the last dot */
    }
    snprintf(text + used, room - used, "/%04x", checksum(text, used));
    return text;
}

/* A number of at most nine digits. */
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

/* The answers up to the last slash. Returns 0, ENOMEM or EINVAL. */
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
