/* absent.c: the parts of the platform layer that no scenario depends on: they answer, and do nothing. */
#include "explore.h"

#include "platform/clock.h"
#include "platform/fatal.h"
#include "platform/peek.h"
#include "platform/processors.h"
#include "platform/service.h"
#include "platform/signal.h"
#include "platform/symbols.h"
#include "platform/thread.h"

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
