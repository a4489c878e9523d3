/* hooks.c: what gcc's -fsanitize=thread calls for each access, and the points that lie before the atomic ones. */
#include "explore.h"

#include <string.h>

const void *ex_caller;

#define HERE (ex_caller = __builtin_return_address(0))

#define PLAIN(bytes)                                                                                                       \
    void __tsan_read##bytes(void *address) { HERE; ex_lines_note(address, EX_LOAD); ex_read(address, bytes); }                                             \
    void __tsan_write##bytes(void *address) { HERE; ex_lines_note(address, EX_STORE); ex_write(address, bytes); }                                           \
    void __tsan_unaligned_read##bytes(void *address) { HERE; ex_lines_note(address, EX_LOAD); ex_read(address, bytes); }                                   \
    void __tsan_unaligned_write##bytes(void *address) { HERE; ex_lines_note(address, EX_STORE); ex_write(address, bytes); }
PLAIN(1) PLAIN(2) PLAIN(4) PLAIN(8) PLAIN(16)

void __tsan_read_range(void *address, unsigned long bytes) { HERE; ex_read(address, (unsigned)bytes); }
void __tsan_write_range(void *address, unsigned long bytes) { HERE; ex_write(address, (unsigned)bytes); }
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_init(void) {}

/* The core's memset, memcpy and memmove (run renames them). */
void *ex_memset(void *to, int byte, size_t bytes) {
    HERE;
    ex_write(to, (unsigned)bytes);
    return memset(to, byte, bytes);
}

void *ex_memcpy(void *to, const void *from, size_t bytes) {
    HERE;
    ex_read(from, (unsigned)bytes);
    ex_write(to, (unsigned)bytes);
    return memcpy(to, from, bytes);
}

void *ex_memmove(void *to, const void *from, size_t bytes) {
    HERE;
    ex_read(from, (unsigned)bytes);
    ex_write(to, (unsigned)bytes);
    return memmove(to, from, bytes);
}

/* The point comes first; the caller is noted again after it, because others may have run in between. */
#define BEGIN(use) BEGIN_AFTER(use, ex_point_at((const void *)address, (use) == EX_LOAD ? EX_READS : EX_WRITES))
#define BEGIN_AFTER(use, point) \
    const void *here = __builtin_return_address(0); \
    point; \
    ex_caller = here; \
    ex_lines_note((const void *)address, use); \
    ex_atomic((const void *)address)
#define NAME ex_name_of((const void *)address)
#define WORDS(value) ex_words((const void *)address, value)

#define ATOMIC(bits, type)                                                                                                 \
    type __tsan_atomic##bits##_load(const volatile type *address, int order) {                                            \
        BEGIN(EX_LOAD);                                                                                                   \
        type value = (type)ex_load((const void *)address, *address, order);                                               \
        EX_TRACE("reads %s: %s%s", NAME, WORDS(value), value != *address ? " (stale)" : "");                            \
        return value;                                                                                                     \
    }                                                                                                                     \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order) {                                     \
        BEGIN(EX_STORE);                                                                                                  \
        EX_TRACE("writes %s: %s", NAME, WORDS(value));                                                                \
        ex_store((void *)address, sizeof value, value, order);                                                            \
    }                                                                                                                     \
    static type change##bits(volatile type *address, type value, type now, int order, const char *how) {                  \
        ex_exchange((void *)address, sizeof value, now, value, order);                                                    \
        EX_TRACE("%s %s: %s becomes %s", how, NAME, WORDS(now), WORDS(value));                                        \
        return now;                                                                                                       \
    }                                                                                                                     \
    static type drained##bits(volatile type *address) {                                                                   \
        while (ex_setting.memory == EX_TSO && ex_drain_one(ex_current)) {                                                 \
        }                                                                                                                 \
        return *address;                                                                                                  \
    }                                                                                                                     \
    type __tsan_atomic##bits##_exchange(volatile type *address, type value, int order) {                                  \
        BEGIN(EX_SWAP);                                                                                                   \
        return change##bits(address, value, drained##bits(address), order, "exchanges");                                  \
    }                                                                                                                     \
    type __tsan_atomic##bits##_fetch_add(volatile type *address, type value, int order) {                                 \
        BEGIN(EX_SWAP);                                                                                                   \
        type now = drained##bits(address);                                                                                \
        return change##bits(address, (type)(now + value), now, order, "adds to");                                         \
    }                                                                                                                     \
    type __tsan_atomic##bits##_fetch_sub(volatile type *address, type value, int order) {                                 \
        BEGIN(EX_SWAP);                                                                                                   \
        type now = drained##bits(address);                                                                                \
        return change##bits(address, (type)(now - value), now, order, "takes from");                                      \
    }                                                                                                                     \
    type __tsan_atomic##bits##_fetch_or(volatile type *address, type value, int order) {                                  \
        BEGIN(EX_SWAP);                                                                                                   \
        type now = drained##bits(address);                                                                                \
        return change##bits(address, (type)(now | value), now, order, "sets bits in");                                    \
    }                                                                                                                     \
    type __tsan_atomic##bits##_fetch_and(volatile type *address, type value, int order) {                                 \
        BEGIN(EX_SWAP);                                                                                                   \
        type now = drained##bits(address);                                                                                \
        return change##bits(address, (type)(now & value), now, order, "clears bits in");                                  \
    }                                                                                                                     \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type *address, type *expected, type value, int order,      \
                                                      int failure) {                                                      \
        BEGIN_AFTER(EX_SWAP, ex_point_at_compare((const void *)address, sizeof value, *expected));                        \
        uint64_t want = *expected;                                                                                        \
        bool done = ex_compare((void *)address, sizeof value, drained##bits(address), &want, value, order, failure);      \
        EX_TRACE(done ? "swaps %s: %s becomes %s" : "fails to swap %s: it is not %s but %s", NAME, WORDS(*expected),              \
                 done ? WORDS(value) : WORDS(want));                                                                       \
        *expected = (type)want;                                                                                           \
        return done;                                                                                                      \
    }
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
