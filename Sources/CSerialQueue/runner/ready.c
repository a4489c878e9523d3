/* ready.c: a list of ready entries.
 *
 * DESIGN. Entries of a higher band are taken first, and each band in order. An entry of a lower band is taken at the latest after SQ__BATCH - 1 entries
 * of higher bands, so that its wait is bounded. */
#include "runner/ready.h"

#include "runner/runner.h"

void sq__ready_append(sq__ready_list_t *list, sq__band_t band, sq__ready_t *entry) {
    sq__line_t *line = &list->lines[band];
    entry->next = NULL;
    if (line->first == NULL) {
        line->end = &line->first;
    }
    *line->end = entry;
    line->end = &entry->next;
}

void sq__ready_put_first(sq__ready_list_t *list, sq__band_t band, sq__ready_t *entry) {
    sq__line_t *line = &list->lines[band];
    if (line->first == NULL) {
        sq__ready_append(list, band, entry);
        return;
    }
    entry->next = line->first;
    line->first = entry;
}

/* `link` is what points to the entry. */
static sq__ready_t *take(sq__line_t *line, sq__ready_t **link) {
    sq__ready_t *entry = *link;
    *link = entry->next;
    if (line->end == &entry->next) {
        line->end = link;
    }
    return entry;
}

/* The highest band with a ready entry, unless a lower one has waited long enough: then the lowest of those. */
sq__band_t sq__ready_next_band(const sq__ready_list_t *list) {
    for (sq__band_t band = SQ__BANDS - 1; band > SQ__BAND_HIGH; band -= 1) {
        if (list->lines[band].first != NULL && list->overtaken[band] >= SQ__BATCH - 1) {
            return band;
        }
    }
    sq__band_t band = SQ__BAND_HIGH;
    while (list->lines[band].first == NULL) {
        band += 1;
    }
    return band;
}

void sq__ready_overtake(sq__ready_list_t *list, sq__band_t band) {
    for (sq__band_t lower = band + 1; lower < SQ__BANDS; lower += 1) {
        list->overtaken[lower] += list->lines[lower].first != NULL;
    }
}

sq__ready_t *sq__ready_take_first(sq__ready_list_t *list, sq__band_t *band) {
    if (sq__ready_is_empty(list)) {
        return NULL;
    }
    *band = sq__ready_next_band(list);
    sq__line_t *line = &list->lines[*band];
    list->overtaken[*band] = 0;
    sq__ready_overtake(list, *band);
    return take(line, &line->first);
}

/* What points to the entry; NULL: it is not ready. */
static sq__ready_t **find(sq__line_t *line, const sq__ready_t *entry) {
    sq__ready_t **link = &line->first;
    while (*link != NULL && *link != entry) {
        link = &(*link)->next;
    }
    return *link != NULL ? link : NULL;
}

bool sq__ready_find(const sq__ready_list_t *list, const sq__ready_t *entry, sq__band_t *band) {
    *band = SQ__BAND_HIGH;
    while (*band < SQ__BANDS && find((sq__line_t *)&list->lines[*band], entry) == NULL) {
        *band += 1;
    }
    return *band < SQ__BANDS;
}

bool sq__ready_take_out(sq__ready_list_t *list, sq__band_t band, const sq__ready_t *entry) {
    sq__ready_t **link = find(&list->lines[band], entry);
    if (link != NULL) {
        (void)take(&list->lines[band], link);
    }
    return link != NULL;
}
