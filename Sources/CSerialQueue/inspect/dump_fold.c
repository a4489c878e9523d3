#include "inspect/dump_fold.h"

#define PRIME UINT64_C(1099511628211) /* FNV-1a */

uint64_t sq__key_with(uint64_t key, uint64_t word) {
    key = (key ^ word) * PRIME;
    key ^= key >> 32;
    return key != 0 ? key : 1;
}

uint64_t sq__key_with_text(uint64_t key, const char *text) {
    for (; *text != '\0'; text += 1) {
        key = (key ^ (unsigned char)*text) * PRIME;
    }
    return sq__key_with(key, 0xFF);
}

void sq__section_begin(sq__view_t *view, sq__section_t *section, size_t most) {
    section->items.size = sizeof(sq__fold_item_t);
    section->groups.size = sizeof(sq__fold_group_t);
    section->lines.size = sizeof(sq__view_key_t);
    for (section->room = 64; section->room < 2 * most; section->room *= 2) {
    }
    section->table = most <= UINT32_MAX / 2 ? sq__pages(section->room * sizeof *section->table) : NULL;
    view->had_no_memory |= section->table == NULL;
}

/* The place of the key's group, which is made if there is none; SQ__ALONE: no memory. At most half of the table is used. */
static size_t group_of(sq__view_t *view, sq__section_t *section, uint64_t key) {
    size_t at = key & (section->room - 1);
    for (; section->table[at] != 0; at = (at + 1) & (section->room - 1)) {
        if (sq__section_group(section, section->table[at] - 1)->key == key) {
            return section->table[at] - 1;
        }
    }
    sq__fold_group_t *made = sq__view_add(view, &section->groups);
    if (made == NULL) {
        return SQ__ALONE;
    }
    *made = (sq__fold_group_t){ .key = key, .first = section->items.count };
    section->table[at] = (uint32_t)section->groups.count;
    return section->groups.count - 1;
}

void sq__section_add(sq__view_t *view, sq__section_t *section, uint64_t key, size_t item) {
    size_t group = key != 0 && section->table != NULL ? group_of(view, section, key) : SQ__ALONE;
    sq__fold_item_t *added = sq__view_add(view, &section->items);
    if (added != NULL) {
        *added = (sq__fold_item_t){ .item = item, .group = group };
        if (group != SQ__ALONE) {
            sq__section_group(section, group)->count += 1;
        }
    }
}

/* How many items the line that begins with this one has; 0: it is in the line of an earlier one. */
static size_t count_at(const sq__section_t *section, size_t place) {
    const sq__fold_item_t *item = sq__section_item(section, place);
    const sq__fold_group_t *group = item->group != SQ__ALONE ? sq__section_group(section, item->group) : NULL;
    return group == NULL || group->count <= SQ__FOLD_FEW ? 1 : group->first == place ? group->count : 0;
}

void sq__section_end(sq__view_t *view, sq__section_t *section) {
    for (size_t i = 0; i < section->items.count; i += 1) {
        if (count_at(section, i) > 0) {
            sq__view_add_key(view, &section->lines, i, 0, i);
        }
    }
    section->wanted = section->lines.count;
}

size_t sq__section_line(const sq__section_t *section, size_t line, size_t *item) {
    size_t place = sq__view_key(&section->lines, line)->item;
    *item = sq__section_item(section, place)->item;
    return count_at(section, place);
}

void sq__section_free(sq__section_t *section) {
    sq__pages_free(section->table, section->room * sizeof *section->table);
    sq__view_list_free(&section->items);
    sq__view_list_free(&section->groups);
    sq__view_list_free(&section->lines);
}

void sq__section_grant(sq__section_t *const sections[], size_t count, size_t lines) {
    size_t open = count;
    for (size_t i = 0; i < count; i += 1) {
        sections[i]->granted = SIZE_MAX; /* none yet */
    }
    for (bool changed = true; changed && open > 0;) {
        size_t share = lines / open;
        changed = false;
        for (size_t i = 0; i < count; i += 1) {
            if (sections[i]->granted == SIZE_MAX && sections[i]->wanted <= share) {
                lines -= sections[i]->granted = sections[i]->wanted;
                open -= 1;
                changed = true;
            }
        }
    }
    for (size_t i = 0; i < count; i += 1) {
        if (sections[i]->granted == SIZE_MAX) {
            lines -= sections[i]->granted = (lines + open - 1) / open;
            open -= 1;
        }
    }
}

void sq__dump_add_left_out(sq__dump_text_t *text, const sq__section_t *section) {
    if (section->granted < section->wanted) {
        sq__dump_add(text, "  %zu more lines were left out\n", section->wanted - section->granted);
    }
}
