/* ready.c: what the other files of a pool share: a part's list of ready entries. */
#include "pool/pool_internal.h"
#include "thread/process.h"

void sq__part_append(sq__part_t *part, sq__band_t band, sq__ready_t *entry) {
    sq__line_t *line = &part->lines[band];
    entry->next = NULL;
    if (line->first == NULL) {
        line->end = &line->first;
    }
    *line->end = entry;
    line->end = &entry->next;
    sq__count(&part->waiting, 1);
}

void sq__part_put_first(sq__part_t *part, sq__band_t band, sq__ready_t *entry) {
    sq__line_t *line = &part->lines[band];
    if (line->first == NULL) {
        sq__part_append(part, band, entry);
        return;
    }
    entry->next = line->first;
    line->first = entry;
    sq__count(&part->waiting, 1);
}

/* `link` is what points to the entry. */
static sq__ready_t *take(sq__part_t *part, sq__line_t *line, sq__ready_t **link) {
    sq__ready_t *entry = *link;
    *link = entry->next;
    if (line->end == &entry->next) {
        line->end = link;
    }
    sq__count(&part->waiting, (size_t)-1);
    part->taken += 1;
    return entry;
}

/* The highest band with a ready entry, unless a lower one has waited long enough: then the lowest of those. */
sq__band_t sq__part_next_band(const sq__part_t *part) {
    for (sq__band_t band = SQ__BANDS - 1; band > SQ__BAND_HIGH; band -= 1) {
        if (part->lines[band].first != NULL && part->overtaken[band] >= SQ__BATCH - 1) {
            return band;
        }
    }
    sq__band_t band = SQ__BAND_HIGH;
    while (part->lines[band].first == NULL) {
        band += 1;
    }
    return band;
}

void sq__part_overtake(sq__part_t *part, sq__band_t band) {
    for (sq__band_t lower = band + 1; lower < SQ__BANDS; lower += 1) {
        part->overtaken[lower] += part->lines[lower].first != NULL;
    }
}

sq__ready_t *sq__part_take_first(sq__part_t *part, sq__band_t *band) {
    if (!sq__part_has_ready(part)) {
        return NULL;
    }
    *band = sq__part_next_band(part);
    sq__line_t *line = &part->lines[*band];
    part->overtaken[*band] = 0;
    sq__part_overtake(part, *band);
    return take(part, line, &line->first);
}

/* What points to the entry; NULL: it is not ready. */
static sq__ready_t **find(sq__line_t *line, const sq__ready_t *entry) {
    sq__ready_t **link = &line->first;
    while (*link != NULL && *link != entry) {
        link = &(*link)->next;
    }
    return *link != NULL ? link : NULL;
}

bool sq__part_is_ready(sq__part_t *part, sq__band_t band, const sq__ready_t *entry) {
    return find(&part->lines[band], entry) != NULL;
}

bool sq__part_find(sq__part_t *part, const sq__ready_t *entry, sq__band_t *band) {
    *band = SQ__BAND_HIGH;
    while (*band < SQ__BANDS && !sq__part_is_ready(part, *band, entry)) {
        *band += 1;
    }
    return *band < SQ__BANDS;
}

bool sq__part_take_out(sq__part_t *part, sq__band_t band, const sq__ready_t *entry) {
    sq__ready_t **link = find(&part->lines[band], entry);
    if (link != NULL) {
        (void)take(part, &part->lines[band], link);
    }
    return link != NULL;
}

void sq__pool_unlist(sq__pool_t *pool, sq__caller_run_t **link) {
    *link = (*link)->next;
    sq__count(&pool->listed, (size_t)-1);
}

bool sq__pool_give_to_caller(sq__pool_t *pool, const sq__ready_t *entry) {
    bool is_given = false;
    sq__mutex_lock(&pool->lists_lock);
    for (sq__caller_run_t **link = &pool->caller_run; *link != NULL; link = &(*link)->next) {
        sq__caller_run_t *caller_run = *link;
        if (caller_run->entry == entry) {
            sq__pool_unlist(pool, link);
            caller_run->is_given = is_given = true;
            sq__token_nudge(caller_run->token);
            break;
        }
    }
    sq__mutex_unlock(&pool->lists_lock);
    return is_given;
}

bool sq__pool_is_stale(const sq__pool_t *pool) { return pool->process != sq__process(); }
