#include "platform/thread.h"

#if !SQ__LINUX

#include <pthread.h>
#if defined(__FreeBSD__)
#include <pthread_np.h>
#elif defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* POSIX has neither a thread's name, nor its number, nor its stack: each system has its own calls. */
#if defined(__APPLE__)
void sq__thread_name_self(const char *name) { (void)pthread_setname_np(name); }

uint64_t sq__thread_id(void) {
    uint64_t id = 0;
    (void)pthread_threadid_np(NULL, &id);
    return id;
}

bool sq__thread_owns_stack(const void *address) {
    uintptr_t highest = (uintptr_t)pthread_get_stackaddr_np(pthread_self()), size = pthread_get_stacksize_np(pthread_self());
    return highest - (uintptr_t)address - 1 < size;
}
#else
void sq__thread_name_self(const char *name) { (void)pthread_setname_np(pthread_self(), name); }

#if defined(__FreeBSD__)
uint64_t sq__thread_id(void) { return (uint64_t)pthread_getthreadid_np(); }

static int attributes_of_self(pthread_attr_t *attributes) {
    int error = pthread_attr_init(attributes);
    return error ? error : pthread_attr_get_np(pthread_self(), attributes);
}
#else
uint64_t sq__thread_id(void) { return (uint64_t)syscall(SYS_gettid); } /* Linux, for the tests */

static int attributes_of_self(pthread_attr_t *attributes) { return pthread_getattr_np(pthread_self(), attributes); }
#endif

bool sq__thread_owns_stack(const void *address) {
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;
    if (attributes_of_self(&attributes) != 0) {
        return false;
    }
    (void)pthread_attr_getstack(&attributes, &lowest, &size);
    (void)pthread_attr_destroy(&attributes);
    return (uintptr_t)address - (uintptr_t)lowest < size;
}
#endif

/* What only Linux can do, or is asked to do by this library. */
void sq__thread_become_like_main(void) {}
void sq__thread_wake_in_time(void) {}
uint64_t sq__thread_processor_time(uint64_t id) { return (void)id, 0; }
sq__thread_state_t sq__thread_state(uint64_t id) { return (void)id, SQ__THREAD_UNKNOWN; }

const char *sq__thread_sleeps_in(uint64_t id) { return (void)id, NULL; }

#endif
