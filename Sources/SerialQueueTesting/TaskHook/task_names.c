/* task_names.c: which function of the program a task continues in. */
#include "sq_task_hook.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From the core: the symbol of a function, in a run that is recorded; "" if there is none. */
const char *sq__explore_function(uintptr_t address);

/* From the standard library: NULL, or a text to be freed. */
char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags);

/* After the last " in " that names what a closure is in: not one of a private type, "(Type in _4711)". */
static const char *outermost(const char *text) {
    for (const char *in = strstr(text, " in "); in != NULL; in = strstr(in + 1, " in ")) {
        text = in[4] != '_' ? in + 4 : text;
    }
    return text;
}

/* "Module.Type.function(label: Type) -> Result" becomes "Type.function". */
static void shorten(const char *text, char *name, size_t size) {
    size_t used = 0;
    const char *dot = strchr(text, '.'), *end = strpbrk(text, "(< ");
    if (dot != NULL && (end == NULL || dot < end)) {
        text = dot + 1;
    }
    while (*text != '\0' && *text != '<' && *text != ' ' && used + 1 < size) {
        if (*text == '(') {
            const char *private_end = strstr(text, " in _"), *close = strchr(text, ')');
            if (private_end == NULL || close == NULL || private_end > close) {
                break;
            }
            for (text += 1; text < private_end && used + 1 < size; text += 1) {
                name[used++] = *text;
            }
            text = close + 1;
        } else {
            name[used++] = *text++;
        }
    }
    name[used] = '\0';
    char *getter = strstr(name, ".getter");
    if (getter != NULL) {
        *getter = '\0';
    }
}

void sq_task_function(void *job, char *name, size_t size) {
    snprintf(name, size, "%s", sq_task_has_not_begun(job) ? "begins" : "");
    const char *symbol = sq_task_kind(job) == SQ_TASK_KIND_TASK ? sq__explore_function(sq_task_resume(job)) : "";
    char *words = symbol[0] == '$' ? swift_demangle(symbol, strlen(symbol), NULL, NULL, 0) : NULL;
    if (words == NULL) {
        return;
    }
    const char *text = words;
    for (const char *next = strstr(text, " for "); next != NULL && (text[0] == '(' || strncmp(text, "protocol witness", 16) == 0);
         next = strstr(text, " for ")) {
        text = next + 5;
    }
    if (strncmp(text, "static ", 7) == 0) {
        text += 7;
    }
    if (strncmp(text, "closure #", 9) == 0 || strncmp(text, "implicit closure #", 18) == 0) {
        int prefix = snprintf(name, size, "closure in ");
        shorten(outermost(text), name + prefix, size - (size_t)prefix);
    } else if (text[0] != '(') {
        shorten(text, name, size);
    }
    free(words);
}
