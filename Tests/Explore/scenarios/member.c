/* member.c: a task waits for a group, and for an item, whose tasks wait behind a barrier of a concurrent queue. If the barrier waits for
 * the waiting task, the wait is refused in every schedule; the neighbouring shapes are not. */
#include "scenario.h"

#include <errno.h>

#define WIDE .width = SQ_WIDTH_POOL, .pool = { POOL_FIXED, 2 }
#define NARROW .width = 2, .pool = { POOL_FIXED, 3 }
#define REFUSED(count) .may = ERROR_BIT(EDEADLK), .deadlocks = count

const scenario_t member_scenarios[] = {
    { "member_second", "a wait sees the member that its own thread has added to those of another one", "member pump | member wait_group pump", .expect = { .pool = { POOL_MANUAL, 0 } } },
    { "member_behind", "a reader waits for what is behind a barrier", "sync(open0 pass1 wait_group wait_item) | pass0 barrier member item open1",
      .expect = { WIDE, REFUSED(2) } },
    { "member_behind_late", "the barrier and the member come while the reader waits, or before",
      "sync(enter open0 wait_group leave) | pass0 barrier owned_member", .expect = { WIDE, REFUSED(1) } },
    { "item_behind_late", "the same with an item", "sync(open0 wait_item) | pass0 barrier item", .expect = { WIDE, REFUSED(1) } },
    { "member_drains_late", "the barrier gets to the head while the reader waits",
      "sync(enter open0 wait_group leave) | pass0 async async async barrier member", .expect = { NARROW, REFUSED(1) } },
    { "item_drains_late", "the same with an item", "sync(open0 wait_item) | pass0 async async async barrier item",
      .expect = { NARROW, REFUSED(1) } },
    { "member_behind_itself", "a barrier waits for what it has submitted", "sync_barrier(member wait_group item wait_item) | sync",
      .expect = { WIDE, REFUSED(2) } },
    { "member_behind_across", "the barrier waits for a reader that waits, as a barrier, for the one that waits for the member",
      "sync:A(open0 pass1 wait_group) | pass0 sync:B(open2 pass3 sync_barrier:A) | pass2 barrier:B member:B open1 open3",
      .expect = { WIDE, REFUSED(1) } },
    { "member_behind_resume", "the queue is resumed while the reader waits, or before",
      "sync(open0 pass1 wait_group wait_item) | pass0 suspend barrier member item open1 resume", .expect = { WIDE, REFUSED(2) } },
    { "member_behind_discard", "the queue is shut down: the member is refused, or discarded, or its wait is",
      "sync(open0 pass1 wait_group) | pass0 barrier owned_member open1 | pass0 discard",
      .expect = { WIDE, .may = ERROR_BIT(EDEADLK) | ERROR_BIT(ESHUTDOWN), .deadlocks = -1 } },
    { "member_behind_until", "a barrier with a deadline is refused before the wait",
      "sync(open0 pass1 wait_group) | pass0 barrier_until | pass0 member item open1",
      .expect = { WIDE, REFUSED(-1), .spares_unlimited = true } },
    { "member_ahead", "what is ahead of the barrier runs: no cycle",
      "sync(enter open0 wait_group wait_item) | pass0 member item barrier leave", .expect = { WIDE } },
    { "member_starts", "a member starts in the middle of a search, and a barrier comes behind it: no cycle",
      "sync(enter open0 wait_group) | pass0 member(open1 pass2) pass1 open2 leave | pass1 barrier", .expect = { WIDE } },
    { "member_elsewhere", "the barrier that waits for the reader is in another queue than the members: no cycle",
      "sync:A(open0 pass1 wait_group wait_item) | pass0 barrier:A barrier:B member:B item:B open1", .expect = { WIDE } },
    { 0 },
};
