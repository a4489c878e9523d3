/* files.c: the parts of platform/ that traces use to reach the system. No scenario records a whole trace: what threads share, the
 * buffers, is explored by itself (scenarios/recording.c). */
#include "explore.h"

#include "platform/clock.h"
#include "platform/event_fd.h"
#include "platform/fatal.h"
#include "platform/file.h"
#include "platform/kept_file.h"
#include "platform/message.h"
#include "platform/program.h"
#include "platform/signal_handler.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define LEFT_OUT(name, ...) int name(__VA_ARGS__) { ex_fail(#name " is not explored"); }

LEFT_OUT(sq__kept_file_open, sq__kept_file_t *file, const char *path)
LEFT_OUT(sq__kept_file_empty, sq__kept_file_t *file)
LEFT_OUT(sq__kept_file_write, sq__kept_file_t *file, const void *bytes, size_t count)
LEFT_OUT(sq__kept_file_settle, sq__kept_file_t *file)
LEFT_OUT(sq__kept_file_close, sq__kept_file_t *file)
LEFT_OUT(sq__kept_file_close_copy, sq__kept_file_t *file)
LEFT_OUT(sq__program_at_exit, void (*function)(void))
LEFT_OUT(sq__event_fd_open, sq__event_fd_t *event_fd)
LEFT_OUT(sq__signal_take, int number, void (*function)(int))

void sq__report(const char *format, ...) { ex_fail("the core reports: %s", format); }
bool sq__report_has_file(void) { return true; }
void sq__report_bytes(const void *bytes, size_t count) { (void)bytes, (void)count; } /* nobody asks for JSON */
bool sq__event_fd_signal(sq__event_fd_t event_fd) { return (void)event_fd, true; }
int sq__event_fd_clear(sq__event_fd_t event_fd) { return (void)event_fd, 0; }
void sq__signal_give_back(int number, void (*function)(int)) { (void)number, (void)function; }
void sq__clock_others(uint64_t *since_boot, uint64_t *of_day) { *since_boot = *of_day = 0; }
bool sq__code_find(const void *address, char *path, size_t size, uint64_t *offset) { return (void)address, (void)path, (void)size, (void)offset, false; }
sq__mutex_t sq__code_lock;
const char *sq__environment(const char *name) { (void)name; return NULL; }
size_t sq__program_folder(char *path, size_t size) { return (void)path, (void)size, 0; }
int sq__process_id(void) { return 1; } /* a dump begins with it */
void sq__fatal_first(void (*function)(void)) { (void)function; }

/* The futex of platform/wakeup.c. A wait there has no time limit in the model, so that a lost wake-up is a thread that never continues. */
long ex_futex(long number, uint32_t *word, int operation, uint32_t value) {
    ex_point_at(word, EX_WRITES);
    while (ex_setting.memory == EX_TSO && ex_drain_one(ex_current)) {
    }
    bool wakes = operation & 1;
    if (wakes && ex_wake(word)) {
        EX_TRACE("wakes %s", ex_name_of(word));
    }
    if (!wakes && *word == value) {
        EX_TRACE("sleeps at %s", ex_name_of(word));
        ex_block(word, NULL, UINT64_MAX, true);
    }
    return 0;
}
