/* tape.h: the decisions of one run, in order.
 *
 * DESIGN. A decision has `count` possible answers; the answer 0 is the usual one. Decisions with only one answer are not on the
 * tape. Beyond its end a tape says 0, so zeros at the end can be left out. As text:
 *
 *     NAME/1/z12.3.z4.1/5e0f
 *
 * the test's name, the version of this format, the answers (zN: N zeros; "-": none), and a checksum of what stands before it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: empty. */
typedef struct sq__tape {
    uint32_t *answers;
    uint32_t *counts; /* of answers that were possible; 0: unknown, the tape was read */
    size_t length, room;
} sq__tape_t;

/* sq__tape_add appends a decision; sq__tape_copy replaces `to`. Returns false without memory: the tape is as before. */
bool sq__tape_add(sq__tape_t *tape, uint32_t count, uint32_t answer);
bool sq__tape_copy(sq__tape_t *to, const sq__tape_t *from);

void sq__tape_free(sq__tape_t *tape);

/* Removes the zeros at its end. */
void sq__tape_trim(sq__tape_t *tape);

/* How many answers are not 0. */
size_t sq__tape_unusual(const sq__tape_t *tape);

/* Passes the tape as text to `put`, in pieces. Async-signal-safe if `put` is. */
void sq__tape_spell(const sq__tape_t *tape, const char *name, void (*put)(void *context, const char *bytes, size_t length), void *context);

/* The tape as text, to be freed with sq__memory_free; NULL without memory. */
char *sq__tape_write(const sq__tape_t *tape, const char *name);

/* Whether a text begins with the name of this test. */
bool sq__tape_is_of(const char *text, const char *name);

/* Reads a text. Returns 0; ENOMEM; or EINVAL with *reason: "is damaged: ...", static. After an error the tape may have some of the answers. */
int sq__tape_read(sq__tape_t *tape, const char *text, const char *name, const char **reason);
