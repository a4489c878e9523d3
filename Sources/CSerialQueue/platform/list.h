/* list.h: lists whose elements have `next` and `link`, which is what points to the element: the list's first, or a `next`. So an element
 * leaves a list in one step, wherever it is. Without a lock: that is the caller's. */
#pragma once

#include <stddef.h>

/* Puts the element in front of the list, whose `first` is a pointer. */
#define SQ__LIST_PUT(first, element)                                                                                           \
    do {                                                                                                                       \
        (element)->next = (first);                                                                                             \
        (element)->link = &(first);                                                                                            \
        if ((element)->next != NULL) {                                                                                         \
            (element)->next->link = &(element)->next;                                                                          \
        }                                                                                                                      \
        (first) = (element);                                                                                                   \
    } while (0)

/* Takes the element off its list. Its `link` is NULL then. */
#define SQ__LIST_REMOVE(element)                                                                                               \
    do {                                                                                                                       \
        *(element)->link = (element)->next;                                                                                    \
        if ((element)->next != NULL) {                                                                                         \
            (element)->next->link = (element)->link;                                                                           \
        }                                                                                                                      \
        (element)->link = NULL;                                                                                                \
    } while (0)

/* The same for a list that also has its `end`: what points behind its last element. */
#define SQ__LIST_APPEND(end, element)                                                                                          \
    do {                                                                                                                       \
        (element)->next = NULL;                                                                                                \
        (element)->link = (end);                                                                                               \
        *(end) = (element);                                                                                                    \
        (end) = &(element)->next;                                                                                              \
    } while (0)

#define SQ__LIST_REMOVE_FROM(end, element)                                                                                     \
    do {                                                                                                                       \
        (end) = (element)->next != NULL ? (end) : (element)->link;                                                             \
        SQ__LIST_REMOVE(element);                                                                                              \
    } while (0)
