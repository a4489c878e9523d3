/* block_object.c: block objects, which can be cancelled and waited for.
 *
 * A block object is a block of ours whose only variable is its record: calling it, by whichever way, runs the program's block unless it was cancelled.
 * The record's group has a member until the first run, so a wait or a notification is for that; one that comes before it is also for the
 * submissions that are members. */
#include "attribute.h"
#include "block_object.h"
#include "fail.h"
#include <errno.h>
#include <sq_private.h>
#include <stdlib.h>

extern void *_NSConcreteStackBlock[] __attribute__((weak));

struct sq__dispatch_record {
    void *block;           /* I: the program's, a copy */
    unsigned long flags;   /* I */
    sq_group_t *group;     /* I: a member until the first run; and the submissions that have no other group */
    _Atomic bool has_run;  /* A: or was skipped */
    _Atomic bool cancelled; /* A */
};

struct object {
    struct sq__dispatch_block block;
    struct sq__dispatch_record *record;
};

enum { HAS_COPY_AND_DISPOSE = 1 << 25, BARRIER = 0x1, ALL_FLAGS = 0x3f };

static void leave(struct sq__dispatch_record *record) {
    /* Release pairs with the acquire in sq__dispatch_record_has_run. */
    if (!atomic_exchange_explicit(&record->has_run, true, memory_order_release)) {
        sq_group_leave(record->group);
    }
}

static void perform(void *block) {
    struct sq__dispatch_record *record = ((struct object *)block)->record;
    if (!atomic_load_explicit(&record->cancelled, memory_order_relaxed)) {
        sq__dispatch_call_block(record->block);
    }
    leave(record);
}

/* The runtime has copied the words. The only copy is that from the stack; later ones add a reference. */
static void copy(void *to, const void *from) {
    (void)to;
    (void)from;
}

static void dispose(const void *block) {
    struct sq__dispatch_record *record = ((const struct object *)block)->record;
    leave(record);
    sq_group_release(record->group);
    sq__dispatch_release_block(record->block);
    free(record);
}

static const struct sq__dispatch_block_descriptor descriptor = { 0, sizeof(struct object), copy, dispose };

struct sq__dispatch_record *sq__dispatch_record_of(const void *block) {
    return ((const struct sq__dispatch_block *)block)->descriptor == &descriptor ? ((const struct object *)block)->record : NULL;
}

bool sq__dispatch_record_is_barrier(const struct sq__dispatch_record *record) {
    return (record->flags & BARRIER) != 0;
}

sq_group_t *sq__dispatch_record_group(const struct sq__dispatch_record *record) {
    return record->group;
}

static void *create(unsigned long flags, void *block, const void *caller) {
    if ((flags & ~(unsigned long)ALL_FLAGS) != 0) {
        return NULL;
    }
    struct sq__dispatch_record *record = sq__dispatch_allocate("dispatch_block_create", sizeof *record);
    record->block = sq__dispatch_copy_block(block);
    record->flags = flags;
    record->group = sq_group_create(NULL);
    sq__dispatch_check("dispatch_block_create", record->group == NULL ? errno : sq_group_enter(record->group), NULL);
    sq__made_by(sq_group_label(record->group), caller);
    struct object object = { { _NSConcreteStackBlock, HAS_COPY_AND_DISPOSE, 0, perform, &descriptor }, record };
    return sq__dispatch_copy_block(&object);
}

void *sq_dispatch_block_create(unsigned long flags, void *block) {
    return create(flags, block, __builtin_return_address(0));
}

void *sq_dispatch_block_create_with_qos_class(unsigned long flags, dispatch_qos_class_t qos_class, int relative_priority, void *block) {
    return sq__dispatch_is_class(qos_class, relative_priority) ? create(flags, block, __builtin_return_address(0)) : NULL;
}

void sq_dispatch_block_perform(unsigned long flags, void *block) {
    if ((flags & ~(unsigned long)ALL_FLAGS) != 0) {
        sq__dispatch_fail("dispatch_block_perform", "there are no such flags: %#lx.", flags);
    }
    sq__dispatch_call_block(block);
}

struct sq__dispatch_record *sq__dispatch_need_record(const char *call, const void *block) {
    struct sq__dispatch_record *record = sq__dispatch_record_of(block);
    if (record == NULL) {
        sq__dispatch_fail(call, "the block was not made by dispatch_block_create.");
    }
    return record;
}

bool sq__dispatch_record_has_run(const struct sq__dispatch_record *record) {
    return atomic_load_explicit(&record->has_run, memory_order_acquire);
}

void sq_dispatch_block_cancel(void *block) {
    atomic_store_explicit(&sq__dispatch_need_record("dispatch_block_cancel", block)->cancelled, true, memory_order_relaxed);
}

intptr_t sq_dispatch_block_testcancel(void *block) {
    return atomic_load_explicit(&sq__dispatch_need_record("dispatch_block_testcancel", block)->cancelled, memory_order_relaxed);
}
