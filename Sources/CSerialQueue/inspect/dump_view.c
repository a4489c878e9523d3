#include "inspect/dump_view.h"

void *sq__view_add(sq__view_t *view, sq__view_list_t *list) {
    if (list->count == list->room) {
        size_t room = list->room > 0 ? 2 * list->room : 64;
        char *items = list->items == NULL ? sq__pages(room * list->size) : sq__pages_grow(list->items, list->room * list->size, room * list->size);
        if (items == NULL) {
            view->had_no_memory = true;
            return NULL;
        }
        list->items = items;
        list->room = room;
    }
    return list->items + list->size * list->count++; /* fresh pages are zeroed */
}

void sq__view_list_free(sq__view_list_t *list) { sq__pages_free(list->items, list->room * list->size); }

void sq__view_add_key(sq__view_t *view, sq__view_list_t *keys, uint64_t first, uint64_t second, size_t item) {
    sq__view_key_t *key = sq__view_add(view, keys);
    if (key != NULL) {
        *key = (sq__view_key_t){ .first = first, .second = second, .item = item };
    }
}

static bool is_before(const sq__view_key_t *one, const sq__view_key_t *other) {
    return one->first != other->first ? one->first < other->first : one->second < other->second;
}

/* Merges two sorted runs that follow one another, `one` keys and `both` in all, into `to`. */
static void merge(const sq__view_key_t *from, size_t one, size_t both, sq__view_key_t *to) {
    for (size_t i = 0, k = one, n = 0; n < both; n += 1) {
        bool is_second = i == one || (k < both && is_before(&from[k], &from[i]));
        to[n] = from[is_second ? k++ : i++];
    }
}

/* The length of the sorted run that these begin with. */
static size_t run_of(const sq__view_key_t *keys, size_t count) {
    size_t length = 1;
    while (length < count && !is_before(&keys[length], &keys[length - 1])) {
        length += 1;
    }
    return length < count ? length : count;
}

/* A merge sort: qsort may allocate. It merges the runs that are there, as queues that were made one after the other are often found in the order
 * of their addresses. */
void sq__view_sort(sq__view_t *view, sq__view_list_t *list) {
    size_t count = list->count;
    sq__view_key_t *keys = sq__view_key(list, 0), *other = count > 1 ? sq__pages(list->room * list->size) : NULL;
    if (other == NULL) {
        view->had_no_memory |= count > 1;
        return;
    }
    while (run_of(keys, count) < count) {
        for (size_t at = 0; at < count;) {
            size_t one = run_of(keys + at, count - at), past = at + one;
            size_t both = one + (past < count ? run_of(keys + past, count - past) : 0);
            merge(keys + at, one, both, other + at);
            at += both;
        }
        sq__view_key_t *sorted = other;
        other = keys;
        keys = sorted;
    }
    list->items = (char *)keys;
    sq__pages_free(other, list->room * list->size);
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
