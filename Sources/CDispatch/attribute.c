/* attribute.c: the attributes of queues.
 *
 * There is one for each combination, in a table; its position says what it is. So they are constants, as in libdispatch, and need no memory. */
#include "attribute.h"

enum { CLASSES = 7, PRIORITIES = 16, MAINTENANCE = 0x05 };

struct dispatch_queue_attr_s {
    char unused;
};

static struct dispatch_queue_attr_s table[2 * 2 * CLASSES * PRIORITIES];
/* This one has a name of its own: it is the position of "concurrent" alone. */
struct dispatch_queue_attr_s _dispatch_queue_attr_concurrent;

static const dispatch_qos_class_t classes[CLASSES] = {
    QOS_CLASS_UNSPECIFIED, MAINTENANCE, QOS_CLASS_BACKGROUND, QOS_CLASS_UTILITY, QOS_CLASS_DEFAULT, QOS_CLASS_USER_INITIATED, QOS_CLASS_USER_INTERACTIVE,
};

static int position_of_class(dispatch_qos_class_t qos_class) {
    for (int i = 0; i < CLASSES; i += 1) {
        if (classes[i] == qos_class) {
            return i;
        }
    }
    return -1;
}

sq__dispatch_wanted_t sq__dispatch_wanted(dispatch_queue_attr_t attribute) {
    if (attribute == NULL || attribute == DISPATCH_QUEUE_CONCURRENT) {
        return (sq__dispatch_wanted_t){ attribute != NULL, false, QOS_CLASS_UNSPECIFIED, 0 };
    }
    size_t position = (size_t)(attribute - table);
    return (sq__dispatch_wanted_t){ position & 1, position >> 1 & 1, classes[(position >> 2) % CLASSES], -(int)((position >> 2) / CLASSES) };
}

static dispatch_queue_attr_t attribute_of(sq__dispatch_wanted_t wanted) {
    size_t rest = (size_t)-wanted.relative_priority * CLASSES + (size_t)position_of_class(wanted.qos_class);
    size_t position = rest << 2 | (size_t)wanted.is_inactive << 1 | (size_t)wanted.is_concurrent;
    return position == 0 ? NULL : position == 1 ? DISPATCH_QUEUE_CONCURRENT : &table[position];
}

bool sq__dispatch_is_class(dispatch_qos_class_t qos_class, int relative_priority) {
    return position_of_class(qos_class) >= 0 && relative_priority <= 0 && relative_priority > -PRIORITIES;
}

bool sq__dispatch_is_attribute(const void *object) {
    const char *address = object, *begin = (const char *)table;
    return object == &_dispatch_queue_attr_concurrent || (address >= begin && address < begin + sizeof table);
}

dispatch_queue_attr_t dispatch_queue_attr_make_initially_inactive(dispatch_queue_attr_t attribute) {
    sq__dispatch_wanted_t wanted = sq__dispatch_wanted(attribute);
    wanted.is_inactive = true;
    return attribute_of(wanted);
}

dispatch_queue_attr_t dispatch_queue_attr_make_with_autorelease_frequency(dispatch_queue_attr_t attribute, dispatch_autorelease_frequency_t frequency) {
    (void)frequency;
    return attribute;
}

dispatch_queue_attr_t dispatch_queue_attr_make_with_qos_class(dispatch_queue_attr_t attribute, dispatch_qos_class_t qos_class, int relative_priority) {
    if (!sq__dispatch_is_class(qos_class, relative_priority)) {
        return attribute;
    }
    sq__dispatch_wanted_t wanted = sq__dispatch_wanted(attribute);
    /* There are threads of four classes. */
    wanted.qos_class = qos_class == QOS_CLASS_USER_INTERACTIVE ? QOS_CLASS_USER_INITIATED : qos_class == MAINTENANCE ? QOS_CLASS_BACKGROUND : qos_class;
    wanted.relative_priority = relative_priority;
    return attribute_of(wanted);
}
