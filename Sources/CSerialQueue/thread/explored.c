#include "thread/explored.h"

#include "include/sq_private.h"

bool sq__is_explored(void) { return sq__self()->explored != NULL; }

void sq__explored_label(const char *label) {
    sq__explored_t *explored = sq__self()->explored;
    if (explored != NULL) {
        explored->calls->label(explored, label);
    }
}
