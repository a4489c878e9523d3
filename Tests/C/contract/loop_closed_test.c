/* loop_closed_test.c: a program closes the descriptor of a loop, and opens a file of its own under the number: nothing is written to that file, read from
 * it or closed, no thread spins, and a message says what happened. */
#include "child.h"
#include "loop.h"

#include <sys/eventfd.h>

/* What the program opens next: an eventfd, too, as event loops do. It is readable. */
static void reopen(int number) {
    close(number);
    int file = eventfd(5, EFD_CLOEXEC | EFD_NONBLOCK);
    REQUIRE(file >= 0 && (file == number || dup2(file, number) == number));
}

int child_main(int count, char **words) {
    (void)count;
    no_core_file();
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *queue = queue_on(pool, "on a loop", 0);
    int number = sq_pool_fd(pool);
    bool stays_closed = strcmp(words[1], "closed") == 0;
    if (strcmp(words[0], "run") == 0) {
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    }
    if (stays_closed) {
        close(number);
    } else {
        reopen(number);
    }
    if (strcmp(words[0], "submission") == 0) {
        WHATEVER(sq_async(queue, do_nothing, NULL));
    } else if (strcmp(words[0], "release") != 0) {
        (void)sq_pool_run_some(pool, 2, strcmp(words[0], "wait") == 0 ? FAR : SQ_NOW);
    } else {
        sq_queue_release(queue);
        sq_pool_release(pool);
        uint64_t value = 0;
        return stays_closed || (read(number, &value, sizeof value) == (ssize_t)sizeof value && value == 5) ? 7 : 1;
    }
    return 1;
}

TEST(a_loop_whose_descriptor_the_program_has_closed_ends_the_process_with_a_message) {
    const char *const states[] = { "closed", "reopened" }, *const uses[] = { "submission", "wait", "run" };
    for (size_t use = 0; use < 3; use += 1) {
        for (size_t i = 0; i < 2; i += 1) {
            ending_t ending = run_captured(uses[use], states[i]);
            const char *const words[] = { "closed the descriptor of a loop pool" };
            check_aborted(&ending, words, 1);
        }
    }
}

TEST(a_loop_that_is_released_closes_no_file_of_the_program) {
    CHECK_EQUAL(run_captured("release", "closed").status, 7 << 8);
    CHECK_EQUAL(run_captured("release", "reopened").status, 7 << 8);
}
