/* dump_torn_test.c: what a dump copies from a running thread may be anything. Here it is random. */
#include "caller.h"
#include "dump.h"
#include "thread/self.h"
#include "wait/wait.h"

enum { WORDS = 128 };

/* A number, or an address: of memory like this, of a queue, or of nothing. Aligned or not. */
static uint64_t random_word(random_stream_t *random, const uint64_t *memory, const sq_queue_t *queue) {
    switch (random_below(random, 6)) {
    case 0:
        return random_below(random, 64);
    case 1:
        return (uintptr_t)queue + (random_below(random, 3) == 0);
    case 2:
    case 3:
        return (uintptr_t)&memory[random_below(random, WORDS / 2)] + (random_below(random, 3) == 0);
    default:
        return random_below(random, UINT64_MAX);
    }
}

/* For UndefinedBehaviorSanitizer. */
TEST(a_dump_of_a_thread_whose_records_are_overwritten_has_an_end) {
    sq_queue_t *queue = make_queue_of("torn", 0);
    static uint64_t memory[WORDS];
    random_stream_t random = random_start(1);
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    sq__self_t *self = sq__self_listed(), kept = *self;
    for (size_t i = 0, count = scaled(3000); i < count; i += 1) {
        for (size_t k = 0; k < WORDS; k += 1) {
            memory[k] = random_word(&random, memory, queue);
        }
        self->frame = (sq__frame_t *)(void *)&memory[random_below(&random, WORDS / 2)];
        self->duty = (sq__duty_t *)(void *)&memory[random_below(&random, WORDS / 2)];
        self->wait = (const sq__wait_t *)(const void *)&memory[random_below(&random, WORDS / 2)];
        const char *text = dump_now();
        self->frame = kept.frame;
        self->duty = kept.duty;
        self->wait = kept.wait;
        CHECK(strstr(text, "END OF THE DUMP") != NULL);
    }
    sq_queue_release(queue);
}
