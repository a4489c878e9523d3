#include "platform/json.h"

#include "platform/message.h"
#include "platform/peek.h"
#include "platform/program.h"
#include "platform/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 1024 /* the longest string: a report's text */, END = sizeof "}\n" };

static bool reports_are_on; /* fixed before main */

void sq__json_reports_start(void) { reports_are_on = true; }

bool sq__json_reports_are_on(void) { return reports_are_on; }

void sq__json_add(sq__json_t *json, const char *format, ...) {
    size_t room = json->size - json->used;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(json->bytes + json->used, room, format, arguments);
    va_end(arguments);
    if (wanted > 0 && (size_t)wanted + END < room) {
        json->used += (size_t)wanted;
    } else {
        json->bytes[json->used] = '\0';
    }
}

void sq__json_string(sq__json_t *json, const char *name, const char *string, size_t most) {
    char copy[MOST], escaped[2 * MOST];
    size_t used = 0;
    sq__text_copy(copy, most < sizeof copy ? most : sizeof copy, string);
    sq__make_printable(copy, sizeof copy);
    for (const char *byte = copy; *byte != '\0'; byte += 1) {
        if (*byte == '"' || *byte == '\\') {
            escaped[used++] = '\\';
        }
        escaped[used++] = *byte;
    }
    sq__json_add(json, ", \"%s\": \"%.*s\"", name, (int)used, escaped);
}

void sq__json_count(sq__json_t *json, const char *name, uint64_t count) { sq__json_add(json, ", \"%s\": %llu", name, (unsigned long long)count); }

void sq__json_truth(sq__json_t *json, const char *name, bool is_true) { sq__json_add(json, ", \"%s\": %s", name, is_true ? "true" : "false"); }

void sq__json_number(sq__json_t *json, const char *name, const void *queue) { sq__json_add(json, ", \"%s\": \"%p\"", name, queue); }

bool sq__json_begin(sq__json_t *json, const char *kind) {
    *json = (sq__json_t){ .size = SQ__JSON_SIZE, .bytes = sq__pages(SQ__JSON_SIZE) };
    if (json->bytes != NULL) {
        sq__json_add(json, "{\"report\": \"%s\", \"process\": %d", kind, sq__process_id());
    }
    return json->bytes != NULL;
}

void sq__json_write(sq__json_t *json) {
    memcpy(json->bytes + json->used, "}\n", sizeof "}\n"); /* sq__json_add has left the room */
    sq__report_bytes(json->bytes, json->used + 2);
    sq__pages_free(json->bytes, json->size);
}
