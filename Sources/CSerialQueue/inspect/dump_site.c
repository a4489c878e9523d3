#include "include/sq_private.h"
#include "inspect/dump_site.h"
#include "platform/memory.h"

#include <string.h>

void sq__dump_add_thread(sq__dump_text_t *text, const sq__view_thread_t *thread) {
    sq__dump_add(text, "thread \"%s\" (%llu)", thread->name, (unsigned long long)thread->self.thread_id);
}

void sq__dump_add_site(sq__dump_text_t *text, const sq__view_t *view, const void *site, bool is_call) {
    char name[256];
    if (site != NULL) {
        sq__symbols_text(view->symbols, sq__site_of_call(site), name, sizeof name);
        sq__dump_add(text, is_call ? ", in a call by %s" : ", submitted by %s", name);
    }
}

void sq__site_text(const void *caller, char *text, size_t size) {
    sq__symbols_t *symbols = sq__memory(sizeof *symbols);
    text[0] = '\0';
    if (symbols != NULL) {
        memset(symbols, 0, sizeof *symbols);
        sq__symbols_want(symbols, sq__site_of_call(caller));
        sq__symbols_find(symbols);
        sq__symbols_text(symbols, sq__site_of_call(caller), text, size);
        sq__memory_free(symbols);
    }
}
