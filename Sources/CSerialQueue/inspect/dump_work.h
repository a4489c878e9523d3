/* dump_work.h: queues, suspended queues and pools of a dump. */
#pragma once

#include "inspect/dump_fold.h"

/* What is said of the queues that are one line. NULL in `deepest`: there are none; in `oldest`: no thread waits for one. */
typedef struct sq__queue_sum {
    uint64_t waiting, least; /* tasks: of all, of the one with the fewest */
    sq__view_queue_t *deepest, *oldest;
    sq__view_queue_t *first; /* in the list in which it was found */
} sq__queue_sum_t;

typedef struct sq__queues_section {
    sq__section_t section;
    sq__view_list_t sums; /* sq__queue_sum_t, of each group of the section */
} sq__queues_section_t;

/* Fill zeroed sections. The first marks what stands out. After sq__dump_running_fold. */
void sq__dump_queues_fold(sq__view_t *view, sq__queues_section_t *queues);
void sq__dump_suspended_fold(sq__view_t *view, sq__section_t *section);

/* Finds the sites that the lines name, and wants their symbols. */
void sq__dump_queues_want(sq__view_t *view, const sq__queues_section_t *queues);

void sq__dump_queues(sq__dump_text_t *text, const sq__view_t *view, const sq__queues_section_t *queues);
void sq__dump_suspended(sq__dump_text_t *text, const sq__view_t *view, const sq__section_t *section);
void sq__dump_pools(sq__dump_text_t *text, const sq__view_t *view, const sq__section_t *section);
