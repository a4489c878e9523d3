/* ready.c: a list of ready entries.
 *
 * DESIGN. Entries of a higher level are taken first, and each level in order. An entry of a lower level is taken at the latest after SQ__BATCH - 1 entries
 * of higher levels, so that its wait is bounded. */
#include "runner/ready.h"

#include "runner/runner.h"

void sq__ready_append(sq__ready_list_t *list, sq__level_t level, sq__ready_t *entry) {
    sq__ready_level_t *line = &list->lines[level];
    entry->next = NULL;
    if (line->first == NULL) {
        line->end = &line->first;
    }
    *line->end = entry;
    line->end = &entry->next;
}

void sq__ready_put_first(sq__ready_list_t *list, sq__level_t level, sq__ready_t *entry) {
    sq__ready_level_t *line = &list->lines[level];
    if (line->first == NULL) {
        sq__ready_append(list, level, entry);
        return;
    }
    entry->next = line->first;
    line->first = entry;
}

/* With the list's lock. `link` is what points to the entry, which is in no list afterwards. Returns the entry. */
static sq__ready_t *take(sq__ready_level_t *line, sq__ready_t **link) {
    sq__ready_t *entry = *link;
    *link = entry->next;
    if (line->end == &entry->next) {
        line->end = link;
    }
    return entry;
}

/* The highest level with a ready entry, unless a lower one has waited long enough: then the lowest of those. */
sq__level_t sq__ready_next_level(const sq__ready_list_t *list) {
    for (sq__level_t level = SQ__LEVELS - 1; level > SQ__LEVEL_HIGH; level -= 1) {
        if (list->lines[level].first != NULL && list->overtaken[level] >= SQ__BATCH - 1) {
            return level;
        }
    }
    sq__level_t level = SQ__LEVEL_HIGH;
    while (list->lines[level].first == NULL) {
        level += 1;
    }
    return level;
}

void sq__ready_overtake(sq__ready_list_t *list, sq__level_t level) {
    for (sq__level_t lower = level + 1; lower < SQ__LEVELS; lower += 1) {
        list->overtaken[lower] += list->lines[lower].first != NULL;
    }
}

sq__ready_t *sq__ready_take_first(sq__ready_list_t *list, sq__level_t *level) {
    if (list->lines[SQ__LEVEL_HIGH].first == NULL && list->lines[SQ__LEVEL_LOW].first == NULL && list->lines[SQ__LEVEL_HELP].first == NULL) {
        sq__ready_level_t *line = &list->lines[SQ__LEVEL_NORMAL];
        *level = SQ__LEVEL_NORMAL;
        list->overtaken[SQ__LEVEL_NORMAL] = 0; /* no other level has entries, so none is overtaken */
        return line->first != NULL ? take(line, &line->first) : NULL;
    }
    *level = sq__ready_next_level(list);
    sq__ready_level_t *line = &list->lines[*level];
    list->overtaken[*level] = 0;
    sq__ready_overtake(list, *level);
    return take(line, &line->first);
}

/* What points to the entry; NULL: it is not ready. */
static sq__ready_t **find(sq__ready_level_t *line, const sq__ready_t *entry) {
    sq__ready_t **link = &line->first;
    while (*link != NULL && *link != entry) {
        link = &(*link)->next;
    }
    return *link != NULL ? link : NULL;
}

bool sq__ready_find(const sq__ready_list_t *list, const sq__ready_t *entry, sq__level_t *level) {
    *level = SQ__LEVEL_HIGH;
    while (*level < SQ__LEVELS && find((sq__ready_level_t *)&list->lines[*level], entry) == NULL) {
        *level += 1;
    }
    return *level < SQ__LEVELS;
}

bool sq__ready_take_out(sq__ready_list_t *list, sq__level_t level, const sq__ready_t *entry) {
    sq__ready_t **link = find(&list->lines[level], entry);
    if (link != NULL) {
        list->cursor = list->cursor == entry ? entry->next : list->cursor;
        (void)take(&list->lines[level], link);
    }
    return link != NULL;
}
