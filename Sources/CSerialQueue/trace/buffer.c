#include "trace/buffer.h"

/* T. True: there is room for one event and `reserve` more. Only a stream can run out of room. */
static bool has_room(sq__buffer_t *buffer, uint64_t head, uint64_t reserve) {
    if (head - buffer->known_tail + reserve < buffer->room) {
        return true;
    }
    buffer->known_tail = sq__load_acquire(&buffer->tail); /* [copied] acquire: the reader's last use of the slots */
    return head - buffer->known_tail + reserve < buffer->room;
}

bool sq__buffer_record(sq__buffer_t *buffer, const sq__entry_t *event, uint64_t reserve) {
    uint64_t head = sq__load_relaxed(&buffer->head);
    if (!buffer->overwrites && !has_room(buffer, head, reserve)) {
        sq__count(&buffer->dropped, 1);
        return false;
    }
    SQ__ATOMIC(uint64_t) *words = &buffer->words[(head & (buffer->room - 1)) * SQ__ENTRY_WORDS];
    sq__store_relaxed(&buffer->claimed, head + 1);
    /* [overwritten] release: `claimed`, for a reader that copies the event which was here. */
    sq__store_release(&words[0], event->time);
    sq__store_release(&words[1], event->what);
    sq__store_release(&words[2], event->where);
    sq__store_release(&words[3], event->which);
    sq__store_release(&buffer->head, head + 1); /* [recorded] release: the words */
    return true;
}

uint64_t sq__buffer_recorded(const sq__buffer_t *buffer, uint64_t *first) {
    uint64_t head = sq__load_acquire(&buffer->head); /* [recorded] acquire: the words of all events before it */
    uint64_t oldest = buffer->overwrites && head > buffer->room ? head - buffer->room : 0;
    uint64_t tail = sq__load_relaxed(&buffer->tail);
    *first = oldest > tail ? oldest : tail;
    return head;
}

bool sq__buffer_copy(const sq__buffer_t *buffer, uint64_t number, sq__entry_t *event) {
    SQ__ATOMIC(uint64_t) *words = &buffer->words[(number & (buffer->room - 1)) * SQ__ENTRY_WORDS];
    /* [overwritten] acquire: `claimed`, if one of them belongs to a newer event. */
    event->time = sq__load_acquire(&words[0]);
    event->what = sq__load_acquire(&words[1]);
    event->where = sq__load_acquire(&words[2]);
    event->which = sq__load_acquire(&words[3]);
    return sq__load_relaxed(&buffer->claimed) <= number + buffer->room;
}

void sq__buffer_copied(sq__buffer_t *buffer, uint64_t number) { sq__store_release(&buffer->tail, number); } /* [copied] release: our use of the slots */
