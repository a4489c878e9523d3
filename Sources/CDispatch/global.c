/* global.c: the global queues and the main queue, which always exist. */
#include "global.h"
#include "fail.h"
#include <errno.h>

const char sq__dispatch_key;

/* These queues never end, cannot be suspended and keep their target. */
static void set_no_target(void *object, dispatch_queue_t target) {
    (void)object;
    (void)target;
}
static const sq__dispatch_kind_t permanent = { .name = "queue", .set_target = set_no_target };

#define GLOBAL(name, of_class) \
    { { &permanent, true, 1, NULL, NULL, NULL }, NULL, SQ__DISPATCH_GLOBAL, name, of_class, 0, true, { false, 0 }, NULL }

/* By class, as dispatch_queue_get_qos_class returns it; the second of each pair is that of flag 2. */
static struct dispatch_queue_s global[][2] = {
    { GLOBAL("com.apple.root.background-qos", QOS_CLASS_BACKGROUND), GLOBAL("com.apple.root.background-qos.overcommit", QOS_CLASS_BACKGROUND) },
    { GLOBAL("com.apple.root.utility-qos", QOS_CLASS_UTILITY), GLOBAL("com.apple.root.utility-qos.overcommit", QOS_CLASS_UTILITY) },
    { GLOBAL("com.apple.root.default-qos", QOS_CLASS_UNSPECIFIED), GLOBAL("com.apple.root.default-qos.overcommit", QOS_CLASS_UNSPECIFIED) },
    { GLOBAL("com.apple.root.user-initiated-qos", QOS_CLASS_USER_INITIATED),
      GLOBAL("com.apple.root.user-initiated-qos.overcommit", QOS_CLASS_USER_INITIATED) },
};
enum { BACKGROUND, UTILITY, DEFAULT, USER_INITIATED };

struct dispatch_queue_s _dispatch_main_q = {
    { &permanent, true, 1, NULL, NULL, NULL }, NULL, SQ__DISPATCH_MAIN, "com.apple.main-thread", QOS_CLASS_UNSPECIFIED, 0, false, { false, 0 }, NULL
};

static sq_pool_t *main_pool;    /* L */
static pthread_t main_thread;   /* fixed before main, and in the child of a fork */
static _Atomic bool is_claimed; /* A: the main thread owns the pool. From its first wait on, so that a program that only submits has none */

/* Forks. The child has the thread that forked, and none of the pools that these queues were on: it makes them anew. What the parent had stays in
 * reach for tools that look for leaks. Our lock is taken before the core's, as everywhere: the core registers its own earlier (thread/process.h),
 * and the system calls the handlers before a fork in the opposite order. */

enum { PERMANENT = sizeof global / sizeof(struct dispatch_queue_s) + 1 };
static sq_queue_t *queue_of_parent[PERMANENT];
static sq_pool_t *main_pool_of_parent;

static void before_fork(void) {
    pthread_mutex_lock(&sq__dispatch_lock);
}

static void in_parent(void) {
    pthread_mutex_unlock(&sq__dispatch_lock);
}

static void in_child(void) {
    for (int i = 0; i < PERMANENT; i += 1) {
        dispatch_queue_t queue = i == 0 ? &_dispatch_main_q : &global[0][0] + (i - 1);
        sq_queue_t *core = atomic_exchange_explicit(&queue->queue, NULL, memory_order_relaxed); /* the child has one thread */
        queue_of_parent[i] = core != NULL ? core : queue_of_parent[i];
    }
    main_pool_of_parent = main_pool != NULL ? main_pool : main_pool_of_parent;
    main_pool = NULL;
    main_thread = pthread_self();
    atomic_store_explicit(&is_claimed, false, memory_order_relaxed);
    pthread_mutex_unlock(&sq__dispatch_lock);
}

/* Constructors run on the main thread, unless the library is loaded later by another one. */
__attribute__((constructor)) static void begin(void) {
    main_thread = pthread_self();
    pthread_atfork(before_fork, in_parent, in_child); /* without memory for it, children may find the lock taken */
}

bool sq__dispatch_is_main_thread(void) {
    return pthread_equal(pthread_self(), main_thread);
}

/* L */
sq_pool_t *sq__dispatch_main_pool(void) {
    if (main_pool == NULL) {
        main_pool = sq_pool_create_loop("main");
        sq__dispatch_check("dispatch_get_main_queue", main_pool == NULL ? errno : 0, NULL);
    }
    return main_pool;
}

static void claim_main_pool(void) {
    pthread_mutex_lock(&sq__dispatch_lock);
    int error = sq_pool_own(sq__dispatch_main_pool());
    pthread_mutex_unlock(&sq__dispatch_lock);
    sq__dispatch_check("dispatch_get_main_queue", error, NULL);
    atomic_store_explicit(&is_claimed, true, memory_order_relaxed);
}

void sq__dispatch_will_wait(void) {
    if (!atomic_load_explicit(&is_claimed, memory_order_relaxed) && sq__dispatch_is_main_thread()) {
        claim_main_pool();
    }
}

dispatch_queue_t sq__dispatch_default_queue(void) {
    return &global[DEFAULT][0];
}

dispatch_queue_global_t dispatch_get_global_queue(intptr_t identifier, uintptr_t flags) {
    if ((flags & ~(uintptr_t)2) != 0) {
        return NULL;
    }
    int position;
    switch (identifier) {
    case DISPATCH_QUEUE_PRIORITY_HIGH:
    case QOS_CLASS_USER_INITIATED:
    case QOS_CLASS_USER_INTERACTIVE: position = USER_INITIATED; break;
    case DISPATCH_QUEUE_PRIORITY_DEFAULT:
    case QOS_CLASS_DEFAULT: position = DEFAULT; break;
    case DISPATCH_QUEUE_PRIORITY_LOW:
    case QOS_CLASS_UTILITY: position = UTILITY; break;
    case DISPATCH_QUEUE_PRIORITY_BACKGROUND:
    case 0x05: /* QOS_CLASS_MAINTENANCE */
    case QOS_CLASS_BACKGROUND: position = BACKGROUND; break;
    default: return NULL;
    }
    return &global[position][flags >> 1];
}

dispatch_queue_t sq__dispatch_current(void) {
    sq_queue_t *core = sq_current_queue();
    if (core == NULL) {
        return sq__dispatch_is_main_thread() ? &_dispatch_main_q : NULL;
    }
    return sq_queue_value(core, &sq__dispatch_key);
}

dispatch_queue_t dispatch_get_current_queue(void) {
    dispatch_queue_t queue = sq__dispatch_current();
    return queue != NULL ? queue : &global[DEFAULT][1];
}
