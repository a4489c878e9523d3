/* attribute.h: the attributes of queues. */
#ifndef SQ_DISPATCH_ATTRIBUTE_H
#define SQ_DISPATCH_ATTRIBUTE_H

#include <dispatch/dispatch.h>

/** What an attribute says. */
typedef struct sq__dispatch_wanted {
    bool is_concurrent;
    bool is_inactive;
    dispatch_qos_class_t qos_class;
    int relative_priority;
} sq__dispatch_wanted_t;

sq__dispatch_wanted_t sq__dispatch_wanted(dispatch_queue_attr_t attribute);

/** Whether there is such a class, and the priority is one. */
bool sq__dispatch_is_class(dispatch_qos_class_t qos_class, int relative_priority);

bool sq__dispatch_is_attribute(const void *object);

#endif
