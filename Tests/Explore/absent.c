/* absent.c: the parts of the platform layer that no scenario depends on: they answer, and do nothing. */
#include "explore.h"

#include "kernel/ring.h"
#include "platform/clock.h"
#include "platform/fatal.h"
#include "platform/peek.h"
#include "platform/processors.h"
#include "platform/service.h"
#include "platform/signal.h"
#include "platform/symbols.h"
#include "platform/thread.h"
#include "thread/self.h"
#include "thread/token.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

void sq__service_read(sq_pool_granted_t *granted) { granted->complete = true; }

bool sq__thread_stack_size_is_valid(size_t bytes) { return bytes > 0; }
void sq__thread_wake_in_time(void) {}
int sq__thread_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void)) {
    (void)before, (void)in_parent, (void)in_child;
    return 0;
}

/* No model's thread ends without returning. */
void sq__thread_when_left(void (*report)(void)) { (void)report; }
void sq__thread_left(void) {}
uint64_t sq__thread_processor_time(uint64_t id) { (void)id; return 0; }
uint64_t sq__thread_id(void) { return (uint64_t)ex_current + 1; }
void sq__thread_name(char *name, size_t size) { snprintf(name, size, "T%d", ex_current); }
unsigned sq__processor_count(void) { return ex_processors; }
/* Not one: then threads take no pauses (thread/spin.c). */
unsigned sq__processors_known(void) { return ex_processors > 1 ? ex_processors : 2; }

/* build.sh, WHOLE=1: with warm workers a wait of a thread's own token without a deadline is one step, which comes when the wait is over. A token that may be nudged is
 * not a thread's own one. CLAIMED is 4 and WAITING 1 (token.c). */
static void await_decision(const sq__token_t *token, sq__wait_id_t wait_id) { ex_point_until_changed((const uint64_t *)token, wait_id << 3 | 1, 4); }

sq__outcome_t __wrap_sq__token_sleep(sq__token_t *token, sq__wait_id_t wait_id, uint64_t deadline) {
    if (ex_setting.has_warm_workers && deadline == SQ__NEVER && sq__self()->token == token) {
        await_decision(token, wait_id);
    }
    return sq__token_sleep(token, wait_id, deadline);
}

/* Where no wait has a deadline, how many slots are filled decides nothing: whether a thread of no task shares a slot, which only one that may give its wait up does, and how
 * long it spins. Then it is not read, but the queue has to exist. */
uint64_t __wrap_sq__ring_depth(const sq_queue_t *queue) {
    if (ex_setting.no_wait_ends_early && !sq__self_may_be_needed(sq__self())) {
        ex_atomic(&queue->state);
        return 0;
    }
    return sq__ring_depth(queue);
}

/* Not looking is as if it had been too early. */
void __wrap_sq__depth_sample(void *queue) { (void)queue; }
sq__outcome_t __wrap_sq__token_spin(sq__token_t *token, sq__wait_id_t wait_id, sq__spin_t kind, unsigned pauses) {
    if (ex_setting.has_warm_workers && ex_setting.spares == 0 && kind == SQ__SPIN_WORKER) {
        await_decision(token, wait_id);
        return sq__token_spin(token, wait_id, kind, 0);
    }
    return ex_setting.looks_twice ? sq__token_spin(token, wait_id, kind, pauses) : SQ__OPEN;
}
sq__outcome_t __wrap_sq__token_yield(sq__token_t *token, sq__wait_id_t wait_id, uint64_t deadline) {
    return ex_setting.looks_twice ? sq__token_yield(token, wait_id, deadline) : SQ__OPEN;
}
sq__outcome_t __wrap_sq__token_yield_once(sq__token_t *token, sq__wait_id_t wait_id, sq__spin_t kind) {
    return ex_setting.looks_twice ? sq__token_yield_once(token, wait_id, kind) : SQ__OPEN;
}

uint64_t sq__clock_process_time(void) { return ex_now(); }
void sq__thread_name_of(uint64_t id, char *name, size_t size) { snprintf(name, size, "T%d", (int)id - 1); }
void sq__symbols_want(sq__symbols_t *symbols, uintptr_t address) { (void)symbols, (void)address; }
void sq__symbols_find(sq__symbols_t *symbols) { (void)symbols; }
void sq__symbols_text(const sq__symbols_t *symbols, uintptr_t address, char *text, size_t size) {
    (void)symbols, (void)address;
    snprintf(text, size, "f");
}
bool sq__symbols_is_code(const sq__symbols_t *symbols, uintptr_t address) { (void)symbols, (void)address; return false; }
int sq__signal_named(const char *name, size_t length) { (void)name, (void)length; return 0; }
int sq__signal_begin(int number, void (*call)(void), void (*replaced)(void)) { (void)number, (void)call, (void)replaced; return EBUSY; }
void sq__signal_begin_again(void) {}
void sq__signal_accept(int number) { (void)number; }
void sq__signal_block(int number) { (void)number; }
void sq__signal_finish(uint64_t nanoseconds) { (void)nanoseconds; }

void sq__fatal(const char *format, ...) {
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ex_fail("the core ends the program: %s", text);
}

void sq__fatal_message(const char *format, ...) {
    (void)format;
    ex_fail("a task was left");
}
