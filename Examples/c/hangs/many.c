/* many.c: hangs with groups, work items and onces. Each wait is for something that cannot happen before the wait ends. */
#include "hangs.h"

#include <errno.h>
#include <stdlib.h>

static const char hangs[] = "never returns", dies[] = "ends the program by signal 4, without a message";

/* Made anew for each scene. */
static struct {
    sq_queue_t *store, *log;
    sq_group_t *saves, *loads;
    sq_item_t *item;
    sq_once_t first, second;
    sem_t here, there;
} on;

static void begin(void) {
    on.store = queue_named("com.example.store");
    on.log = queue_named("com.example.log");
    on.saves = sq_group_create("saves");
    on.loads = sq_group_create("loads");
    on.item = NULL;
    must("sq_group_create", on.saves == NULL || on.loads == NULL ? ENOMEM : 0);
    on.first = on.second = (sq_once_t)SQ_ONCE_INIT;
    sem_init(&on.here, 0, 0);
    sem_init(&on.there, 0, 0);
}

static void end(void) {
    /* Not drained one after the other: each may still need the other. */
    must("sq_sync", sq_sync(on.store, nothing, NULL));
    must("sq_sync", sq_sync(on.log, nothing, NULL));
    must("sq_group_wait", sq_group_wait(on.saves, SQ_FOREVER));
    must("sq_group_wait", sq_group_wait(on.loads, SQ_FOREVER));
    finish(on.store);
    finish(on.log);
    sq_group_release(on.saves);
    sq_group_release(on.loads);
    sq_item_release(on.item);
    sem_destroy(&on.here);
    sem_destroy(&on.there);
}

/* Both tasks run: this makes certain what happens once in a million without it. */
static void meet_here(void) { sem_post(&on.here); sem_wait(&on.there); }
static void meet_there(void) { sem_post(&on.there); sem_wait(&on.here); }

static void wait_for_saves(void *unused) {
    (void)unused;
    report("sq_group_wait", sq_group_wait(on.saves, SQ_FOREVER));
}

/* own-member */

static void save_and_wait(void *unused) {
    must("sq_group_async", sq_group_async(on.saves, on.store, nothing, NULL));
    wait_for_saves(unused);
}

static void own_member(void) {
    begin();
    must("sq_sync", sq_sync(on.store, save_and_wait, NULL));
    end();
}

/* member-waits */

static void member_waits(void) {
    begin();
    must("sq_group_async", sq_group_async(on.saves, on.store, wait_for_saves, NULL));
    end();
}

/* member-syncs */

static void sync_back(void *unused) {
    (void)unused;
    meet_there();
    report("sq_sync", sq_sync(on.store, nothing, NULL));
}

static void meet_and_wait(void *unused) {
    meet_here();
    wait_for_saves(unused);
}

static void member_syncs(void) {
    begin();
    must("sq_group_async", sq_group_async(on.saves, on.log, sync_back, NULL));
    must("sq_sync", sq_sync(on.store, meet_and_wait, NULL));
    end();
}

/* two-groups */

static void meet_and_wait_for_loads(void *unused) {
    (void)unused;
    meet_there();
    report("sq_group_wait", sq_group_wait(on.loads, SQ_FOREVER));
}

static void two_groups(void) {
    begin();
    must("sq_group_async", sq_group_async(on.loads, on.store, meet_and_wait, NULL));
    must("sq_group_async", sq_group_async(on.saves, on.log, meet_and_wait_for_loads, NULL));
    end();
}

/* late-member */

static void say_so_and_wait(void *unused) {
    sem_post(&on.here);
    wait_for_saves(unused);
}

static void late_member(void) {
    begin();
    must("sq_group_enter", sq_group_enter(on.saves));
    must("sq_async", sq_async(on.store, say_so_and_wait, NULL));
    sem_wait(&on.here);
    must("sq_group_async", sq_group_async(on.saves, on.store, nothing, NULL)); /* the wait has begun, or begins */
    must("sq_group_leave", sq_group_leave(on.saves));
    end();
}

/* behind-barrier */

static void submit_behind_barrier_and_wait(void *cache) {
    must("sq_async_barrier", sq_async_barrier(cache, nothing, NULL)); /* waits for this task */
    must("sq_group_async", sq_group_async(on.saves, cache, nothing, NULL));
    wait_for_saves(NULL);
}

static void behind_barrier(void) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.width = SQ_WIDTH_POOL;
    begin();
    sq_queue_t *cache = sq_queue_create("com.example.cache", &options);
    must("sq_queue_create", cache == NULL ? errno : 0);
    must("sq_sync", sq_sync(cache, submit_behind_barrier_and_wait, cache));
    finish(cache);
    end();
}

/* item-itself */

static void wait_for_item(void *unused) {
    (void)unused;
    report("sq_item_wait", sq_item_wait(on.item, SQ_FOREVER));
}

static void make_item(sq_function_t run) {
    on.item = sq_item_create("com.example.index", &(sq_task_t){ run, NULL, NULL });
    must("sq_item_create", on.item == NULL ? errno : 0);
}

static void item_itself(void) {
    begin();
    make_item(wait_for_item);
    must("sq_item_submit", sq_item_submit(on.item, on.store));
    end();
}

/* item-behind */

static void submit_and_wait(void *unused) {
    must("sq_item_submit", sq_item_submit(on.item, on.store));
    wait_for_item(unused);
}

static void item_behind(void) {
    begin();
    make_item(nothing);
    must("sq_sync", sq_sync(on.store, submit_and_wait, NULL));
    end();
}

/* once-itself */

static void once_again(void *unused) {
    (void)unused;
    report("sq_once", sq_once(&on.first, never, NULL));
}

static void once_itself(void) {
    begin();
    must("sq_once", sq_once(&on.first, once_again, NULL));
    end();
}

/* once-cycle */

static void need_second(void *unused) {
    (void)unused;
    meet_here();
    report("sq_once", sq_once(&on.second, nothing, NULL));
}

static void need_first(void *unused) {
    (void)unused;
    meet_there();
    report("sq_once", sq_once(&on.first, nothing, NULL));
}

static void begin_first(void *unused) { (void)unused; must("sq_once", sq_once(&on.first, need_second, NULL)); }
static void begin_second(void *unused) { (void)unused; must("sq_once", sq_once(&on.second, need_first, NULL)); }

static void once_cycle(void) {
    begin();
    must("sq_async", sq_async(on.store, begin_first, NULL));
    must("sq_async", sq_async(on.log, begin_second, NULL));
    end();
}

/* once-queue */

static void sync_in_once(void *unused) {
    (void)unused;
    meet_here();
    report("sq_sync", sq_sync(on.store, nothing, NULL));
}

static void begin_once(void *unused) { (void)unused; must("sq_once", sq_once(&on.first, sync_in_once, NULL)); }

static void once_queue(void) {
    begin();
    must("sq_async", sq_async(on.log, begin_once, NULL));
    must("sq_async", sq_async(on.store, need_first, NULL));
    end();
}

const scene_t many_scenes[] = {
    { "own-member", "a task submits a member of a group behind itself, and waits for the group", hangs, own_member },
    { "member-waits", "a member of a group waits for the group", hangs, member_waits },
    { "member-syncs", "a task waits for a group whose member syncs onto the task's queue", hangs, member_syncs },
    { "two-groups", "members of two groups wait for each other's group", hangs, two_groups },
    { "late-member", "while a task waits for a group, a member is submitted behind it", hangs, late_member },
    { "behind-barrier", "a task of a concurrent queue waits for a member that is behind a barrier of the same queue", hangs,
      behind_barrier },
    { "item-itself", "a work item waits for itself", hangs, item_itself },
    { "item-behind", "a task submits a work item behind itself, and waits for it", hangs, item_behind },
    { "once-itself", "the function of a once calls the same once", dies, once_itself },
    { "once-cycle", "the functions of two onces call each other's once", hangs, once_cycle },
    { "once-queue", "the function of a once syncs onto a queue whose task waits for the once", hangs, once_queue },
    { 0 },
};
