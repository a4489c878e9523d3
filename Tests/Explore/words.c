/* words.c: addresses and values in words: which field of which object, and what the bits of a state word mean.
 *
 * An object is recognised by the size of its block, except groups and semaphores, which a scenario declares. */
#include "explore.h"

#include "kernel/segment.h"
#include "objects/group.h"
#include "objects/member_count.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 120, TEXTS = 8, TOKEN_BYTES = 64 };

typedef enum kind { UNKNOWN, QUEUE, SEGMENT, TOKEN, GROUP, SEMAPHORE, TIE } kind_t;
static const char *const kind_names[] = { "block", "queue", "segment", "token", "group", "semaphore", "tie" };

typedef struct object {
    kind_t kind;
    unsigned number;
    size_t bytes, offset;
} object_t;

static const void *group, *semaphore;

void ex_declare_group(const void *block) { group = block; }
void ex_declare_semaphore(const void *block) { semaphore = block; }

static bool find_object(const void *address, object_t *object) {
    const void *start;
    object->kind = UNKNOWN;
    if (!ex_block_of(address, &object->number, &object->bytes, &object->offset)) {
        return false;
    }
    start = (const char *)address - object->offset;
    if (start == group) {
        object->kind = GROUP;
    } else if (start == semaphore) {
        object->kind = SEMAPHORE;
    } else if (object->bytes > sizeof(struct sq_queue) && object->bytes < sizeof(struct sq_queue) + 16) {
        object->kind = QUEUE; /* with its label */
    } else if (object->bytes == sizeof(struct sq__segment)) {
        object->kind = SEGMENT;
    } else if (object->bytes == TOKEN_BYTES) {
        object->kind = TOKEN;
    } else if (object->bytes == sizeof(struct sq__member_count) && group != NULL) {
        object->kind = TIE;
    }
    return true;
}

#define FIELD(name) { offsetof(struct sq_queue, name), #name }
static const struct { size_t offset; const char *name; } queue_fields[] = {
    FIELD(position), FIELD(ran), FIELD(head), FIELD(first_link), FIELD(skipped), FIELD(highest), FIELD(ready), FIELD(references),
    FIELD(suspensions), FIELD(extras), FIELD(control), FIELD(handoff_kind), FIELD(process), FIELD(runner), FIELD(room), FIELD(handoff),
    FIELD(segments), FIELD(tallies[SQ__TALLY_DISCARDED]), FIELD(tallies[SQ__TALLY_WITHDRAWN]), FIELD(tallies[SQ__TALLY_REJECTED]), FIELD(state),
};

static char *next_text(void) {
    static char texts[TEXTS][TEXT];
    static unsigned next;
    char *text = texts[next++ % TEXTS];
    text[0] = '\0';
    return text;
}

static void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *text, const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, TEXT - used, format, arguments);
    va_end(arguments);
}

static void name_slot(char *text, size_t offset) {
    if (offset < offsetof(struct sq__segment, slots)) {
        add(text, "%s", offset == offsetof(struct sq__segment, next) ? "next" : "number or used");
        return;
    }
    size_t slot = (offset - offsetof(struct sq__segment, slots)) / sizeof(sq__slot_t);
    bool is_word = (offset - offsetof(struct sq__segment, slots)) % sizeof(sq__slot_t) == 0;
    add(text, "slots[%zu]%s", slot, is_word ? ".word" : "'s task");
}

static void name_field(char *text, const object_t *object) {
    size_t offset = object->offset;
    const char *name = NULL;
    for (unsigned i = 0; object->kind == QUEUE && i < sizeof queue_fields / sizeof queue_fields[0]; i += 1) {
        name = queue_fields[i].offset == offset ? queue_fields[i].name : name;
    }
    if (object->kind == SEGMENT) {
        name_slot(text, offset);
    } else if (object->kind == TOKEN) {
        add(text, "%s", offset == 0 ? "word" : offset == 8 ? "lock" : "condition or list");
    } else if (object->kind == TIE && offset == offsetof(struct sq__member_count, members)) {
        add(text, "members");
    } else if (offset == 0 && (object->kind == GROUP || object->kind == SEMAPHORE)) {
        add(text, "%s", object->kind == GROUP ? "count" : "permits");
    } else if (name != NULL) {
        add(text, "%s", name);
    } else {
        add(text, "+%zu", offset);
    }
}

/* The core's static data */

enum { SYMBOLS = 400 };
static struct symbol { unsigned long long begin, bytes; char name[48]; } symbols[SYMBOLS];
static unsigned symbol_count;

void ex_load_symbols(void) {
    char command[80], kind;
    snprintf(command, sizeof command, "nm --print-size /proc/%d/exe", (int)getpid());
    FILE *in = symbol_count == 0 ? popen(command, "r") : NULL;
    for (char line[200]; in != NULL && fgets(line, sizeof line, in) != NULL;) {
        struct symbol *symbol = &symbols[symbol_count];
        bool is_data = sscanf(line, "%llx %llx %c %47s", &symbol->begin, &symbol->bytes, &kind, symbol->name) == 4 && strchr("bBdD", kind) != NULL;
        symbol_count += is_data && symbol_count < SYMBOLS - 1;
    }
    if (in != NULL) {
        pclose(in);
    }
}

static void name_static(char *text, const void *address) {
    for (unsigned i = 0; i < symbol_count; i += 1) {
        unsigned long long at = (unsigned long long)(uintptr_t)address - symbols[i].begin;
        if (at < symbols[i].bytes) {
            add(text, at > 0 ? "%s + %llu" : "%s", symbols[i].name, at);
            return;
        }
    }
    add(text, "static %p", address);
}

const char *ex_name_of(const void *address) {
    char *text = next_text();
    object_t object;
    size_t in_stacks = (size_t)((const char *)address - &ex_stacks[0][0]), in_own = (size_t)((const char *)address - &ex_own[0][0]);
    if (find_object(address, &object)) {
        add(text, "%s %u", kind_names[object.kind], object.number);
        if (object.kind == UNKNOWN) {
            add(text, " (%zu bytes) + %zu", object.bytes, object.offset);
        } else {
            add(text, ".");
            name_field(text, &object);
        }
    } else if (in_stacks < sizeof ex_stacks) {
        add(text, "T%zu's stack - %zu", in_stacks / EX_STACK, EX_STACK - in_stacks % EX_STACK);
    } else if (in_own < sizeof ex_own) {
        add(text, "T%zu's record + %zu", in_own / EX_OWN, in_own % EX_OWN);
    } else {
        name_static(text, address);
    }
    return text;
}

/* State words */

typedef struct bit { uint64_t mask; const char *name; } bit_t;

static void add_bits(char *text, uint64_t value, const bit_t bits[]) {
    for (; bits->mask != 0; bits += 1) {
        if (value & bits->mask) {
            add(text, "%s%s", strchr("{ ", text[strlen(text) - 1]) ? "" : ", ", bits->name);
        }
    }
}

static void add_block(char *text, uint64_t value) {
    object_t object;
    if (value != 0 && find_object((const void *)(uintptr_t)value, &object)) { /* NOLINT: an address in a word */
        add(text, "%s %u", kind_names[object.kind], object.number);
    } else {
        add(text, value == 0 ? "none" : "%#llx", (unsigned long long)value);
    }
}

static void add_state(char *text, uint64_t state) {
    static const bit_t bits[] = { { SQ__OWNED, "owned" }, { SQ__PARKED, "parked" }, { SQ__SUSPENDED, "suspended" },
        { SQ__CLOSED, "closed" }, { SQ__ENDED, "ended" }, { SQ__DISCARDED, "discarded or bound" }, { 0, NULL } };
    add(text, "{ tail: ");
    add_block(text, state & SQ__TAIL);
    add(text, ", taken: %u, ", sq__state_taken(state));
    if (state & SQ__RELEASES) {
        add(text, "releases: %d, ", (int)(int8_t)(state >> 56));
    }
    add_bits(text, state, bits);
    add(text, "%s }", sq__state_is_free(state) ? "free" : "");
}

static void add_kind(char *text, uint64_t value) {
    static const char *const names[] = { "EMPTY", "BATON", "TASK", "PAIR", "JOB", "DUE", "CLAIM", "GONE", "MEMBER", "AWAITED", "EITHER", "WAITER" };
    if (value < sizeof names / sizeof names[0]) {
        add(text, "%s", names[value]);
    } else {
        add_block(text, value); /* a link */
    }
}

/* As in token.c. */
static void add_token(char *text, uint64_t word) {
    static const char *const statuses[] = { "over", "waiting", "sleeping", "granted" };
    add(text, "{ wait %llu, %s%s }", (unsigned long long)(word >> 3), statuses[word & 3], word & 4 ? ", claimed" : "");
}

static void add_count(char *text, uint64_t count) {
    static const bit_t bits[] = { { SQ__GROUP_WAITED, "waited" }, { SQ__GROUP_WATCHED, "watched" }, { SQ__GROUP_RELEASED, "released" },
                                  { SQ__GROUP_NOTIFIES, "notifies" }, { 0, NULL } };
    add(text, "{ ties: %llu, entered: %llu", (unsigned long long)(count / SQ__GROUP_TIE),
        (unsigned long long)(count % SQ__GROUP_TIE / SQ__GROUP_ENTERED));
    add_bits(text, count, bits);
    add(text, " }");
}

/* As in member_count.h. */
static void add_tie(char *text, uint64_t word) {
    add(text, "{ members: %llu, pending: %llu, use: %llu%s }", (unsigned long long)(word & 0xFFFFFFFF),
        (unsigned long long)(word >> 32 & 0x7FFF), (unsigned long long)(word >> 47 & 0xFFFF), word >> 63 ? ", changing" : "");
}

static void add_control(char *text, uint64_t control) {
    static const bit_t bits[] = { { SQ__HELD_BACK, "hold" }, { SQ__DISCARD, "discard" }, { SQ__WATCHED, "watched" }, { 0, NULL } };
    add(text, "{ ");
    add_bits(text, control, bits);
    add(text, "%s }", control == 0 ? "go" : "");
}

static bool add_queue_word(char *text, size_t offset, uint64_t value) {
    switch (offset) {
    case offsetof(struct sq_queue, state): add_state(text, value); return true;
    case offsetof(struct sq_queue, control): add_control(text, value); return true;
    case offsetof(struct sq_queue, handoff_kind):
    case offsetof(struct sq_queue, first_link): add_kind(text, value); return true;
    case offsetof(struct sq_queue, extras):
    case offsetof(struct sq_queue, runner): add_block(text, value); return true;
    default: return false;
    }
}

const char *ex_words(const void *address, uint64_t value) {
    char *text = next_text();
    object_t object;
    find_object(address, &object);
    bool is_first = object.offset == 0;
    if (object.kind == QUEUE && add_queue_word(text, object.offset, value)) {
    } else if (object.kind == SEGMENT) {
        add_kind(text, value);
    } else if (object.kind == TOKEN && is_first) {
        add_token(text, value);
    } else if (object.kind == GROUP && is_first) {
        add_count(text, value);
    } else if (object.kind == TIE && object.offset == offsetof(struct sq__member_count, members)) {
        add_tie(text, value);
    } else if (object.kind == SEMAPHORE && is_first) { /* as in semaphore.c */
        add(text, "{ permits: %llu%s }", (unsigned long long)(value >> 1), value & 1 ? ", waited" : "");
    } else {
        add(text, value < 4096 ? "%llu" : "%#llx", (unsigned long long)value);
    }
    return text;
}
