/* task_names.c: which function of the program a task continues in, or a queue's closure is from. */
#include "sq_task_hook.h"

#include <sq_explore_private.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (strncmp(text, "static ", 7) == 0) {
        text += 7;
    }
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

/* "partial apply forwarder for closure #1 in f", "function signature specialization <...> of closure #1 in f": behind what the compiler
 * has put in front. */
static const char *without_compiler(const char *text) {
    static const char *const prefixes[] = { "(", "protocol witness", "partial apply", "merged " };
    for (const char *next; (next = strstr(text, "specialization <")) != NULL && (next = strstr(next, "> of ")) != NULL;) {
        text = next + 5;
    }
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i += 1) {
        const char *next = strncmp(text, prefixes[i], strlen(prefixes[i])) == 0 ? strstr(text, " for ") : NULL;
        if (next != NULL) {
            text = next + 5;
            i = (size_t)-1;
        }
    }
    return text;
}

/* "closure #1 in closure #2 in f": writes "closure #2.1 in ", the numbers from the outermost closure to the innermost one. `function` is where
 * `text` continues with what they are in. Returns the length. */
static size_t number_closure(const char *text, const char *function, char *name, size_t size) {
    char numbers[64] = "";
    for (const char *hash = strchr(text, '#'); hash != NULL && hash < function; hash = strchr(hash + 1, '#')) {
        char inner[64];
        snprintf(inner, sizeof inner, "%s", numbers);
        int digits = (int)strspn(hash + 1, "0123456789");
        snprintf(numbers, sizeof numbers, "%.*s%s%s", digits < 8 ? digits : 8, hash + 1, inner[0] != '\0' ? "." : "", inner);
    }
    int length = snprintf(name, size, "closure #%s in ", numbers);
    return (size_t)length < size ? (size_t)length : size - 1;
}

/* The name of a function of Swift in words: "Account.deposit", "closure #1 in Bank.transfer"; unchanged if there is none. */
static void describe(const char *symbol, char *name, size_t size) {
    char *words = symbol[0] == '$' ? swift_demangle(symbol, strlen(symbol), NULL, NULL, 0) : NULL;
    if (words == NULL) {
        return;
    }
    const char *text = without_compiler(words);
    if (strncmp(text, "closure #", 9) == 0 || strncmp(text, "implicit closure #", 18) == 0) {
        const char *function = outermost(text);
        size_t length = number_closure(text, function, name, size);
        if (function[0] == '\0') {
            snprintf(name + length, size - length, "the top level");
        } else {
            shorten(function, name + length, size - length);
        }
    } else if (text[0] != '(') {
        shorten(text, name, size);
    }
    free(words);
}

void sq_task_function(void *job, char *name, size_t size) {
    snprintf(name, size, "%s", sq_task_has_not_begun(job) ? "begins" : "");
    if (sq_task_kind(job) == SQ_TASK_KIND_TASK) {
        describe(sq__explore_function(sq_task_resume(job)), name, size);
    }
}

/* Where the code of a closure is that this function of the Swift layer (EscapingClosure.swift) runs; 0: unknown. */
static uintptr_t code_behind(const char *symbol, const void *context) {
    static const char *const boxes[] = { "14DelayedClosure", "11ItemClosure", "9TimerBody" };
    enum { FIRST_PROPERTY = 2 }; /* words: an object's type and its references come first */
    if (strstr(symbol, "15EscapingClosure") != NULL) {
        return (uintptr_t)context;
    }
    for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; i += 1) {
        if (context != NULL && strstr(symbol, boxes[i]) != NULL) {
            return ((const uintptr_t *)context)[FIRST_PROPERTY];
        }
    }
    return 0;
}

static void name_closure(const char *symbol, const void *context, char *name, size_t size) {
    uintptr_t code = code_behind(symbol, context);
    name[0] = '\0';
    if (code != 0) {
        describe(sq__explore_function(code), name, size);
    }
}

static __attribute__((constructor)) void show_closures(void) { sq__explore_name_closures_by(name_closure); }
