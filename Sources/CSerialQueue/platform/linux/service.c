#include "platform/service.h"

#if SQ__LINUX

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's struct sched_attr in its first version, which the C library does not declare before glibc 2.41. */
typedef struct attributes {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t slice; /* of the normal policies: from Linux 6.12 */
    uint64_t deadline;
    uint64_t period;
} attributes_t;

typedef struct demand {
    int nice;       /* at least this much */
    bool batch;
    uint64_t slice; /* nanoseconds; 0: the default */
} demand_t;

static const demand_t demands[] = {
    [SQ_SERVICE_INTERACTIVE] = { .slice = 500000 },
    [SQ_SERVICE_UTILITY] = { .nice = 5 },
    [SQ_SERVICE_BACKGROUND] = { .nice = 10, .batch = true },
};

/* False: the system does not say (no such call, or a filter forbids it). */
static bool get(attributes_t *attributes) {
    *attributes = (attributes_t){ .size = sizeof *attributes };
    return syscall(SYS_sched_getattr, 0, attributes, (unsigned)sizeof *attributes, 0u) == 0;
}

static bool is_normal(const attributes_t *attributes) {
    return attributes->policy == SCHED_OTHER || attributes->policy == SCHED_BATCH || attributes->policy == SCHED_IDLE;
}

void sq__service_apply(sq_service_t service) {
    const demand_t *demand = &demands[service];
    attributes_t attributes;
    /* If the main thread is a real-time thread, its priority is above every class: leave it. */
    if (service == SQ_SERVICE_DEFAULT || !get(&attributes) || !is_normal(&attributes)) {
        return;
    }
    attributes.flags = 0;
    attributes.slice = demand->slice;
    if (attributes.nice < demand->nice) {
        attributes.nice = demand->nice;
    }
    if (demand->batch && attributes.policy == SCHED_OTHER) {
        attributes.policy = SCHED_BATCH;
    }
    (void)syscall(SYS_sched_setattr, 0, &attributes, 0u);
}

void sq__service_read(sq_pool_granted_t *granted) {
    const demand_t *demand = &demands[granted->service];
    attributes_t attributes;
    granted->complete = granted->service == SQ_SERVICE_DEFAULT;
    if (!get(&attributes)) {
        return;
    }
    granted->nice = attributes.nice;
    granted->batch = attributes.policy == SCHED_BATCH;
    granted->slice = is_normal(&attributes) ? attributes.slice : 0;
    granted->complete = granted->complete
        || (attributes.nice >= demand->nice && (!demand->batch || granted->batch || attributes.policy == SCHED_IDLE)
            && (demand->slice == 0 || granted->slice == demand->slice));
}

#endif
