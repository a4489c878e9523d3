/* buffer.h: what one thread has recorded for a trace, and how it reaches the thread that writes the file.
 *
 * DESIGN. A ring of events with one writer, the recording thread, and one reader. Neither ever waits for the other.
 *
 *     a stream              the reader moves `tail` behind what it has copied. If there is no room, the event is dropped and counted.
 *     a flight recorder     (`overwrites`) the reader does not move anything, and the writer overwrites the oldest event
 *
 *     writer:  (w1) claimed := n + 1   (w2) the words of event n   (w3) head := n + 1
 *     reader:  (r1) head   (r2) the words of an event before it   (r3) claimed: has the event been overwritten by now?
 *
 *     w3 r1    the reader finds the event
 *     r2 between w1 and w3 of the event that overwrites this one: the reader may have copied words of both. If it has seen one of the
 *              newer words, it also sees the newer `claimed`, and does not use the copy */
#pragma once

#include "platform/atomic.h"
#include "platform/memory.h"
#include "trace/trace_event.h"

#include <stdbool.h>
#include <stddef.h>

enum { SQ__ENTRY_WORDS = 4 };

/* T by the recording thread only; R by the reader only; A atomic; I fixed after creation. */
typedef struct sq__buffer {
    _Alignas(SQ__LINE) SQ__ATOMIC(uint64_t) head; /* A  written by T: how many events were recorded */
    SQ__ATOMIC(uint64_t) claimed;                 /* A  written by T: the same, plus the one that is being recorded */
    SQ__ATOMIC(uint64_t) dropped;                 /* A  written by T: how many events found no room */
    uint64_t known_tail;                          /* T  `tail` at the last look */
    uint64_t room;                                /* I  how many events fit; a power of two */
    bool overwrites;                              /* I */
    _Alignas(SQ__LINE) SQ__ATOMIC(uint64_t) tail; /* A  written by R: how many events it has copied */
    SQ__ATOMIC(uint64_t) *words;                  /* I  SQ__ENTRY_WORDS for each event */
} sq__buffer_t;

/* T. Records an event if there is room for it and for `reserve` more. False: there is not, and it is counted as dropped. */
bool sq__buffer_record(sq__buffer_t *buffer, const sq__entry_t *event, uint64_t reserve);

/* R. How many events were recorded so far, and the first of them that is not copied yet, or not overwritten. */
uint64_t sq__buffer_recorded(const sq__buffer_t *buffer, uint64_t *first);

/* R. Copies an event that was recorded. False: it has been overwritten, and the copy is not valid. */
bool sq__buffer_copy(const sq__buffer_t *buffer, uint64_t number, sq__entry_t *event);

/* R. Frees the slots of all events before this one. */
void sq__buffer_copied(sq__buffer_t *buffer, uint64_t number);
