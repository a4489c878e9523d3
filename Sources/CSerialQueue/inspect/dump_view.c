#include "inspect/dump_view.h"

#include <string.h>

void *sq__view_add(sq__view_t *view, sq__view_list_t *list) {
    if (list->count == list->room) {
        size_t room = list->room > 0 ? 2 * list->room : 64;
        char *items = sq__pages(room * list->size);
        if (items == NULL) {
            view->had_no_memory = true;
            return NULL;
        }
        if (list->count > 0) {
            memcpy(items, list->items, list->count * list->size);
        }
        sq__pages_free(list->items, list->room * list->size);
        list->items = items;
        list->room = room;
    }
    return list->items + list->size * list->count++; /* fresh pages are zeroed */
}

static void exchange(char *one, char *other, size_t size) {
    char kept[64];
    while (size > 0) {
        size_t part = size < sizeof kept ? size : sizeof kept;
        memcpy(kept, one, part);
        memcpy(one, other, part);
        memcpy(other, kept, part);
        one += part, other += part, size -= part;
    }
}

/* Moves the item at `i` down until nothing below it comes after it. */
static void sift(const sq__view_list_t *list, size_t i, size_t count, bool (*before)(const void *, const void *)) {
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        char *here = list->items + i * list->size, *below = list->items + child * list->size;
        if (child + 1 < count && before(below, below + list->size)) {
            child += 1;
            below += list->size;
        }
        if (!before(here, below)) {
            return;
        }
        exchange(here, below, list->size);
    }
}

/* A heap sort: qsort may allocate. */
void sq__view_sort(sq__view_list_t *list, bool (*before)(const void *one, const void *other)) {
    for (size_t i = list->count / 2; i > 0; i -= 1) {
        sift(list, i - 1, list->count, before);
    }
    for (size_t count = list->count; count > 1; count -= 1) {
        exchange(list->items, list->items + (count - 1) * list->size, list->size);
        sift(list, 0, count - 1, before);
    }
}
