/* ready.h: what runners with a single list need besides the calls of runner.h. */
#pragma once

#include "runner/runner.h"

static inline bool sq__ready_is_empty(const sq__ready_list_t *list) {
    return list->lines[SQ__LEVEL_HIGH].first == NULL && list->lines[SQ__LEVEL_NORMAL].first == NULL && list->lines[SQ__LEVEL_LOW].first == NULL
        && list->lines[SQ__LEVEL_HELP].first == NULL;
}

/* With the lock of the list. The entry is in no list: it comes to the front of its level. */
void sq__ready_put_first(sq__ready_list_t *list, sq__level_t level, sq__ready_t *entry);
