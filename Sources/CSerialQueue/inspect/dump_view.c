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

void sq__view_add_key(sq__view_t *view, sq__view_list_t *keys, uint64_t first, uint64_t second, size_t item) {
    sq__view_key_t *key = sq__view_add(view, keys);
    if (key != NULL) {
        *key = (sq__view_key_t){ .first = first, .second = second, .item = item };
    }
}

static bool is_before(const sq__view_key_t *one, const sq__view_key_t *other) {
    return one->first != other->first ? one->first < other->first : one->second < other->second;
}

/* Moves the key at `i` down until nothing below it comes after it. */
static void sift(sq__view_key_t *keys, size_t i, size_t count) {
    sq__view_key_t moved = keys[i];
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        child += child + 1 < count && is_before(&keys[child], &keys[child + 1]);
        if (!is_before(&moved, &keys[child])) {
            break;
        }
        keys[i] = keys[child];
    }
    keys[i] = moved;
}

/* A heap sort: qsort may allocate. */
void sq__view_sort(sq__view_list_t *list) {
    sq__view_key_t *keys = sq__view_key(list, 0);
    for (size_t i = list->count / 2; i > 0; i -= 1) {
        sift(keys, i - 1, list->count);
    }
    for (size_t count = list->count; count > 1; count -= 1) {
        sq__view_key_t last = keys[count - 1];
        keys[count - 1] = keys[0];
        keys[0] = last;
        sift(keys, 0, count - 1);
    }
}

size_t sq__view_first(const sq__view_list_t *keys, uint64_t first) {
    size_t begin = 0, past = keys->count;
    while (begin < past) {
        size_t middle = begin + (past - begin) / 2;
        if (sq__view_key(keys, middle)->first < first) {
            begin = middle + 1;
        } else {
            past = middle;
        }
    }
    return begin;
}
