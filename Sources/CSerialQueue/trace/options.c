#include "trace/options.h"

#include "platform/program.h"
#include "platform/signal_handler.h"

#include <stdio.h>
#include <string.h>

enum { BYTES_OF_AN_EVENT = 32, LEAST_BUFFER = 4096, STANDARD_BUFFER = 1 << 20, MOST_BUFFER = 1 << 30 };

/* Reads a number and the unit behind it. False: there is no number, or it is too large. */
static bool read_number(const char *text, size_t length, uint64_t *number, const char **unit, size_t *unit_length) {
    size_t at = 0;
    *number = 0;
    for (; at < length && text[at] >= '0' && text[at] <= '9'; at += 1) {
        *number = *number * 10 + (uint64_t)(text[at] - '0');
        if (*number > UINT32_MAX) {
            return false;
        }
    }
    *unit = text + at;
    *unit_length = length - at;
    return at > 0;
}

static bool is(const char *text, size_t length, const char *word) { return strlen(word) == length && memcmp(text, word, length) == 0; }

/* Reads a time such as 10s or 500ms. False: it is none, is 0 or is too long, and *nanoseconds is not valid. */
static bool read_duration(const char *text, size_t length, uint64_t *nanoseconds) {
    const char *unit;
    size_t left;
    if (!read_number(text, length, nanoseconds, &unit, &left) || *nanoseconds == 0) {
        return false;
    }
    *nanoseconds *= is(unit, left, "ms") ? 1000000u : 1000000000u;
    return is(unit, left, "s") || is(unit, left, "ms");
}

/* Reads a size such as 64K. *events: how many events fit, rounded down to a power of two. False: it is no size, or too small or too large. */
static bool read_buffer(const char *text, size_t length, uint64_t *events) {
    const char *unit;
    size_t left;
    uint64_t bytes;
    if (!read_number(text, length, &bytes, &unit, &left) || !(is(unit, left, "") || is(unit, left, "K") || is(unit, left, "M"))) {
        return false;
    }
    bytes *= is(unit, left, "K") ? 1024 : is(unit, left, "M") ? 1024 * 1024 : 1;
    for (*events = 1; *events * 2 * BYTES_OF_AN_EVENT <= bytes; *events *= 2) {
    }
    return bytes >= LEAST_BUFFER && bytes <= MOST_BUFFER;
}

/* What follows the name of the option; NULL: it is another one. *left: how long that is. */
static const char *value_of(const char *name, const char *text, size_t length, size_t *left) {
    size_t known = strlen(name);
    *left = length - known;
    return length >= known && memcmp(text, name, known) == 0 ? text + known : NULL;
}

/* Reads one option. Returns NULL, or what is wrong: a constant. */
static const char *read_option(sq__trace_options_t *options, const char *text, size_t length) {
    const char *value;
    size_t left;
    if ((value = value_of("last=", text, length, &left)) != NULL) {
        return read_duration(value, left, &options->last) ? NULL : "last= takes a time such as 10s or 500ms";
    }
    if ((value = value_of("buffer=", text, length, &left)) != NULL) {
        return read_buffer(value, left, &options->events) ? NULL : "buffer= takes a size from 4K to 1024M";
    }
    if ((value = value_of("signal=", text, length, &left)) != NULL) {
        options->signal = sq__signal_named(value, left);
        return options->signal != 0 ? NULL : "signal= takes USR1, USR2, HUP, QUIT, WINCH, RTMIN+1, ...";
    }
    return "the options after the file are last=, buffer= and signal=";
}

enum { ROOM_FOR_ENDS = sizeof ".pid2147483647" }; /* session.c */

/* Copies the path, behind that of the working folder if it is relative, and replaces %p by the process's number. False: the path is too long. */
static bool read_path(sq__trace_options_t *options, const char *text, size_t length) {
    size_t used = length > 0 && text[0] != '/' ? sq__program_folder(options->path, sizeof options->path - ROOM_FOR_ENDS) : 0;
    for (size_t at = 0; at < length; at += 1) {
        char number[16] = { text[at], '\0' };
        if (text[at] == '%' && at + 1 < length && text[at + 1] == 'p') {
            snprintf(number, sizeof number, "%d", sq__process_id());
            at += 1;
        }
        if (used + strlen(number) + ROOM_FOR_ENDS > sizeof options->path) {
            return false;
        }
        strcpy(options->path + used, number);
        used += strlen(number);
    }
    return length > 0;
}

const char *sq__trace_options_read(sq__trace_options_t *options, const char *text) {
    const char *wrong = NULL;
    size_t length = strcspn(text, ",");
    *options = (sq__trace_options_t){ .events = STANDARD_BUFFER / BYTES_OF_AN_EVENT };
    if (!read_path(options, text, length)) {
        return length == 0 ? "it begins with the path of a file" : "the path is too long";
    }
    for (text += length; wrong == NULL && *text == ','; text += length) {
        text += 1;
        length = strcspn(text, ",");
        wrong = read_option(options, text, length);
    }
    return wrong == NULL && options->signal != 0 && options->last == 0 ? "signal= is for a flight recorder: last= is missing" : wrong;
}
