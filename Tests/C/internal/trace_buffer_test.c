/* trace_buffer_test.c: the buffer of one thread: what is dropped, what is overwritten. */
#include "harness.h"
#include "trace/buffer.h"

#include <stdlib.h>

static const sq__entry_t some = { .time = 1, .what = 2, .where = 3, .which = 4 };

static sq__buffer_t *make_buffer(uint64_t room, bool overwrites) {
    sq__buffer_t *buffer = aligned_alloc(SQ__LINE, sizeof *buffer);
    REQUIRE(buffer != NULL);
    memset(buffer, 0, sizeof *buffer);
    buffer->room = room;
    buffer->overwrites = overwrites;
    buffer->words = calloc(room * SQ__ENTRY_WORDS, sizeof(uint64_t));
    REQUIRE(buffer->words != NULL);
    return buffer;
}

static void free_buffer(sq__buffer_t *buffer) {
    free(buffer->words);
    free(buffer);
}

TEST(a_full_buffer_drops_events_and_counts_them) {
    uint64_t first;
    sq__buffer_t *buffer = make_buffer(4, false);
    for (int i = 0; i < 4; i += 1) {
        CHECK(sq__buffer_record(buffer, &some, 0));
    }
    CHECK(!sq__buffer_record(buffer, &some, 0));
    CHECK_EQUAL(buffer->dropped, 1);
    CHECK_EQUAL(sq__buffer_recorded(buffer, &first), 4);
    CHECK_EQUAL(first, 0);
    sq__buffer_copied(buffer, 2);
    CHECK(!sq__buffer_record(buffer, &some, 2)); /* room for two, and two must remain */
    CHECK(sq__buffer_record(buffer, &some, 1));
    CHECK(sq__buffer_record(buffer, &some, 0));
    CHECK(!sq__buffer_record(buffer, &some, 0));
    CHECK_EQUAL(buffer->dropped, 3);
    free_buffer(buffer);
}

TEST(a_flight_recorder_keeps_the_newest_events) {
    uint64_t first;
    sq__entry_t event;
    sq__buffer_t *buffer = make_buffer(4, true);
    for (uint64_t i = 0; i < 11; i += 1) {
        CHECK(sq__buffer_record(buffer, &(sq__entry_t){ .time = i, .what = i, .where = i, .which = i }, 0));
    }
    CHECK_EQUAL(sq__buffer_recorded(buffer, &first), 11);
    CHECK_EQUAL(first, 7);
    CHECK(!sq__buffer_copy(buffer, 6, &event));
    for (uint64_t i = 7; i < 11; i += 1) {
        CHECK(sq__buffer_copy(buffer, i, &event));
        CHECK_EQUAL(event.time, i);
        CHECK_EQUAL(event.which, i);
    }
    CHECK_EQUAL(buffer->dropped, 0);
    free_buffer(buffer);
}
