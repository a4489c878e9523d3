/* atomic.h: C11 atomics, named after their memory order.
 *
 * DESIGN. Every atomic operation of the core is one of these, on a field declared SQ__ATOMIC. An operation that is not relaxed
 * has a tag, e.g. [grant], which leads to its partner; Documentation/MemoryOrdering.md has a row for each tag, and says for each
 * relaxed field why relaxed is enough. There are no fences: thread sanitizers cannot see them. No operation is sequentially
 * consistent: every race between two threads is decided by a read-modify-write of one word. A failed compare-and-swap reads with
 * relaxed order, except for the three whose names say otherwise. */
#pragma once

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
#define sq__add_acquire(object, value) atomic_fetch_add_explicit((object), (value), memory_order_acquire)
#define sq__add_release(object, value) atomic_fetch_add_explicit((object), (value), memory_order_release)
#define sq__or_acq_rel(object, value) atomic_fetch_or_explicit((object), (value), memory_order_acq_rel)
#define sq__sub_acq_rel(object, value) atomic_fetch_sub_explicit((object), (value), memory_order_acq_rel)

#define sq__cas_(object, expected, desired, success, failure) \
    atomic_compare_exchange_strong_explicit((object), (expected), (desired), memory_order_##success, memory_order_##failure)
#define sq__cas_relaxed(object, expected, desired) sq__cas_((object), (expected), (desired), relaxed, relaxed)
#define sq__cas_acquire(object, expected, desired) sq__cas_((object), (expected), (desired), acquire, relaxed)
#define sq__cas_release(object, expected, desired) sq__cas_((object), (expected), (desired), release, relaxed)
#define sq__cas_acq_rel(object, expected, desired) sq__cas_((object), (expected), (desired), acq_rel, relaxed)
/* The second word is the order of the read on failure, for callers that act on the value that they find. */
#define sq__cas_release_or_acquire(object, expected, desired) sq__cas_((object), (expected), (desired), release, acquire)
#define sq__cas_acq_rel_or_acquire(object, expected, desired) sq__cas_((object), (expected), (desired), acq_rel, acquire)
#define sq__cas_acquire_or_acquire(object, expected, desired) sq__cas_((object), (expected), (desired), acquire, acquire)

/* Adds to a count that one thread at a time writes and any thread reads. Needs no locked instruction. */
#define sq__count(object, by) sq__store_relaxed((object), sq__load_relaxed(object) + (by))
