#define _GNU_SOURCE 1 /* pthread_getattr_np */
#include "thread_facts.h"

#include <pthread.h>

long stack_size_of_this_thread(void)
{
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return 0;
    }
    size_t size = 0;
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
    return (long)size;
}
