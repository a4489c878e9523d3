/* ready.h: a list of ready entries, in three bands. A runner has one, or several, each under a lock.
 *
 * DESIGN. Entries of a higher band are taken first, and each band in order. An entry of a lower band is taken at the latest after SQ__BATCH - 1 entries
 * of higher bands, so that its wait is bounded. */
#pragma once

#include "runner/runner.h"

/* The ready entries of a band. */
typedef struct sq__line {
    sq__ready_t *first;
    sq__ready_t **end;
} sq__line_t;

/* All under the lock of the list. Zeroed, it is empty. */
typedef struct sq__ready_list {
    sq__line_t lines[SQ__BANDS];
    unsigned overtaken[SQ__BANDS]; /* how many entries of higher bands were taken since one of this band was */
} sq__ready_list_t;

static inline bool sq__ready_is_empty(const sq__ready_list_t *list) {
    return list->lines[SQ__BAND_HIGH].first == NULL && list->lines[SQ__BAND_NORMAL].first == NULL && list->lines[SQ__BAND_LOW].first == NULL;
}

void sq__ready_append(sq__ready_list_t *list, sq__band_t band, sq__ready_t *entry);
void sq__ready_put_first(sq__ready_list_t *list, sq__band_t band, sq__ready_t *entry);

/* NULL: nothing is ready. Else *band is the entry's. */
sq__ready_t *sq__ready_take_first(sq__ready_list_t *list, sq__band_t *band);

/* The entry is only compared by address. The first: false if it is not in this band. The second searches all bands; false: it is in none. */
bool sq__ready_take_out(sq__ready_list_t *list, sq__band_t band, const sq__ready_t *entry);
bool sq__ready_find(const sq__ready_list_t *list, const sq__ready_t *entry, sq__band_t *band);

/* The band of the entry that is taken next; the list is not empty. */
sq__band_t sq__ready_next_band(const sq__ready_list_t *list);

/* An entry of this band is taken. */
void sq__ready_overtake(sq__ready_list_t *list, sq__band_t band);
