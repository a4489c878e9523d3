#include "explore/result.h"

#include "explore/summary.h"
#include "platform/memory.h"

#include <stdio.h>
#include <string.h>

static const size_t first_size = offsetof(sq_explored_t, complete_depth);

static bool has_extent(const sq_explored_t *explored) { return explored->size >= sizeof *explored; }

bool sq__result_fits(const sq_explored_t *explored) {
    return explored == NULL || explored->size == first_size || explored->size == sizeof *explored;
}

void sq_explored_clear(sq_explored_t *explored) {
    sq_explored_t empty = SQ_EXPLORED_INIT;
    sq__memory_free(explored->message);
    sq__memory_free(explored->tape);
    sq__memory_free(explored->report);
    if (has_extent(explored)) {
        sq__memory_free(explored->summary);
    } else {
        empty.size = first_size;
    }
    memcpy(explored, &empty, empty.size);
}

void sq__result_set_text(char **text, const char *to) {
    sq__memory_free(*text);
    *text = to != NULL ? sq__copy_text(to) : NULL;
}

void sq__result_say(sq_explored_t *explored, const char *message) {
    if (explored == NULL) {
        fprintf(stderr, "%s\n", message);
        return;
    }
    sq__result_set_text(&explored->message, message);
    sq__result_set_text(&explored->report, message);
}

void sq__result_count(sq_explored_t *explored, const sq__search_t *search, const char *name) {
    bool is_first = search->strategy == SQ_EXPLORE_DEPTH_FIRST && !search->is_replay;
    explored->schedules = search->is_replay ? 1 : search->runs;
    explored->is_complete = is_first && !search->has_failed && sq__extent_is_complete(&search->extent);
    if (!has_extent(explored)) {
        return;
    }
    if (is_first) {
        explored->complete_depth = sq__extent_depth(&search->extent);
        explored->known = search->extent.known;
        explored->estimate = sq__extent_estimate(&search->extent);
    }
    sq__memory_free(explored->summary);
    explored->summary = search->has_failed || search->has_no_memory ? NULL : sq__summary_write(search, name);
}
