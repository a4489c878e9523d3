/* atomic.h: C11 atomics, by the name of their order.
 *
 * DESIGN. Every atomic operation of the core is one of these, on a field declared SQ__ATOMIC. One that orders others
 * stands beside a tag that names its partner, e.g. [grant]; Documentation/MemoryOrdering.md has a row per tag, and tells of
 * each relaxed field why it may be. There is no fence: thread
 * sanitizers cannot see one. There is no sequentially consistent operation: each decision between two parties is
 * made by a read-modify-write of one word. A compare-and-swap that fails reads with relaxed order, but
 * for the two that say otherwise in their names. */
#ifndef SQ__PLATFORM_ATOMIC_H
#define SQ__PLATFORM_ATOMIC_H

#include "platform/system.h"

#include <stdatomic.h>

#define SQ__ATOMIC(type) _Atomic(type)

#define sq__load_relaxed(object) atomic_load_explicit((object), memory_order_relaxed)
#define sq__load_acquire(object) atomic_load_explicit((object), memory_order_acquire)
#define sq__store_relaxed(object, value) atomic_store_explicit((object), (value), memory_order_relaxed)
#define sq__store_release(object, value) atomic_store_explicit((object), (value), memory_order_release)
#define sq__exchange_relaxed(object, value) atomic_exchange_explicit((object), (value), memory_order_relaxed)
#define sq__exchange_acquire(object, value) atomic_exchange_explicit((object), (value), memory_order_acquire)
#define sq__exchange_acq_rel(object, value) atomic_exchange_explicit((object), (value), memory_order_acq_rel)
#define sq__add_relaxed(object, value) atomic_fetch_add_explicit((object), (value), memory_order_relaxed)
#define sq__add_release(object, value) atomic_fetch_add_explicit((object), (value), memory_order_release)
#define sq__add_acq_rel(object, value) atomic_fetch_add_explicit((object), (value), memory_order_acq_rel)
#define sq__or_acq_rel(object, value) atomic_fetch_or_explicit((object), (value), memory_order_acq_rel)
#define sq__sub_acq_rel(object, value) atomic_fetch_sub_explicit((object), (value), memory_order_acq_rel)

#define sq__cas_(object, expected, desired, success, failure) \
    atomic_compare_exchange_strong_explicit((object), (expected), (desired), memory_order_##success, memory_order_##failure)
#define sq__cas_relaxed(object, expected, desired) sq__cas_((object), (expected), (desired), relaxed, relaxed)
#define sq__cas_acquire(object, expected, desired) sq__cas_((object), (expected), (desired), acquire, relaxed)
#define sq__cas_release(object, expected, desired) sq__cas_((object), (expected), (desired), release, relaxed)
#define sq__cas_acq_rel(object, expected, desired) sq__cas_((object), (expected), (desired), acq_rel, relaxed)
/* The second word is the order of the read when it fails, for callers that act on what they found instead. */
#define sq__cas_release_or_acquire(object, expected, desired) sq__cas_((object), (expected), (desired), release, acquire)
#define sq__cas_acquire_or_acquire(object, expected, desired) sq__cas_((object), (expected), (desired), acquire, acquire)

/* A count that one thread at a time writes and any thread reads: no locked instruction. */
#define sq__count(object, by) sq__store_relaxed((object), sq__load_relaxed(object) + (by))

#endif
