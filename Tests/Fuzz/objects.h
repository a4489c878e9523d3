/* many.h: what items.c and many.c share. */
#ifndef FUZZ_MANY_H
#define FUZZ_MANY_H

#include "drive.h"

/* The item that operations with this number mean. */
typedef struct item_slot {
    sq_item_t *item; /* NULL: there is none */
    int id, owners;
} item_slot_t;

extern item_slot_t item_slots[OBJECTS];

void items_begin(void);
void item_operation(int id);
void item_release(item_slot_t *slot);

/* Fails unless the call may return that. */
void many_expect(int id, const char *name, int error, bool allowed);
bool many_famine(int error, bool failed);
/* An argument: SQ_NOW, a deadline that has passed, a short one; and what a wait returns then. */
sq_time_t many_deadline(int number);
int many_late(sq_time_t deadline);
/* What a queue says to a submission. */
int many_refusal(int queue, bool needs_room);
/* A submission was refused, or ran into a famine. The model may have accepted it. */
void many_reject(int id, int queue);
/* The pool was run for a wait that is not over: a queue that can continue has nothing left. */
void many_check_left(int id, int queue);

#endif
