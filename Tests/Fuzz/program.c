#include "program.h"

#include <stdio.h>

typedef struct reader {
    const uint8_t *bytes;
    size_t left;
    program_t *program;
} reader_t;

enum { DEEPEST = 4, LONGEST = 4 };

static uint8_t next_byte(reader_t *reader) {
    if (reader->left == 0) {
        return 0;
    }
    reader->left -= 1;
    return *reader->bytes++;
}

static bool has_body(uint8_t what) { return what <= DO_AFTER || (what >= DO_ITEM && what <= DO_ONCE); }

/* The kind of the operation, and whether a byte follows that says what fails in it. */
static uint8_t read_kind(reader_t *reader, bool *fails) {
    uint8_t what = next_byte(reader), kinds = reader->program->has_objects ? ALL_KINDS : DO_KINDS;
    *fails = what / kinds == (reader->program->has_objects ? 6 : 12);
    return what % kinds;
}

/* Returns the number of the first of `most` operations, or -1. */
static int16_t read_operations(reader_t *reader, int most, int depth) {
    int16_t first = -1, last = -1;
    for (int i = 0; i < most && reader->left > 0 && reader->program->count < OPERATIONS; i += 1) {
        int16_t id = (int16_t)reader->program->count++;
        operation_t *operation = &reader->program->operations[id];
        bool fails;
        uint8_t what = read_kind(reader, &fails), where = next_byte(reader);
        *operation = (operation_t){ .what = what, .queue = where % QUEUES, .argument = where / QUEUES,
                                    .failing = fails ? next_byte(reader) % 8 : 0, .first = -1, .next = -1 };
        if (last < 0) {
            first = id;
        } else {
            reader->program->operations[last].next = id;
        }
        last = id;
        reader->program->may_discard = reader->program->may_discard || what == DO_SHUTDOWN || what == DO_SUSPEND;
        if (has_body(operation->what) && depth < DEEPEST) {
            uint8_t length = next_byte(reader) % LONGEST;
            int16_t body = read_operations(reader, length, depth + 1);
            operation->first = body;
        }
    }
    return first;
}

void program_read(program_t *program, const uint8_t *bytes, size_t size) {
    reader_t reader = { .bytes = bytes, .left = size, .program = program };
    program->count = 0;
    program->may_discard = false;
    for (int i = 0; i < QUEUES; i += 1) {
        uint8_t byte = next_byte(&reader);
        program->has_objects = i == 0 ? byte >> 4 == 5 : program->has_objects;
        program->threaded[i] = byte & 1;
        program->capacity[i] = byte >> 1 & 4 ? (byte >> 1 & 3) + 1 : 0;
    }
    read_operations(&reader, OPERATIONS, 0);
}

static const char *const names[] = { "async", "async_task", "async_pair", "async_until", "sync", "sync_until", "sync_or_run",
                                     "run_and_wait", "async_task_after", "suspend", "resume", "shutdown", "retain",
                                     "release", "watch", "pool_run", "pool_advance", "hold", "unhold", "waiter",
                                     "item_create", "group_async", "item_notify", "group_notify", "once", "item_submit",
                                     "item_submit_after", "item_cancel", "item_wait", "item_retain", "item_release",
                                     "group_enter", "group_leave", "group_wait", "semaphore_signal", "semaphore_wait" };

static void print_from(const program_t *program, int id, int depth) {
    for (; id >= 0; id = program->operations[id].next) {
        const operation_t *operation = &program->operations[id];
        fprintf(stderr, "%*s%3d %s queue %d, %d", 2 + 4 * depth, "", id, names[operation->what], operation->queue,
                operation->argument);
        fprintf(stderr, operation->failing ? ", allocation %d fails\n" : "\n", operation->failing);
        print_from(program, operation->first, depth + 1);
    }
}

void program_print(const program_t *program) {
    for (int i = 0; i < QUEUES; i += 1) {
        fprintf(stderr, "queue %d: %s, capacity %d\n", i, program->threaded[i] ? "own thread" : "manual pool", program->capacity[i]);
    }
    print_from(program, program->count > 0 ? 0 : -1, 0);
}
