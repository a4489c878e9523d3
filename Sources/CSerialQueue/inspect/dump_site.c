#include "inspect/dump_write.h"

void sq__dump_add_site(sq__dump_text_t *text, const sq__view_t *view, sq__site_t site, bool is_call) {
    char name[256];
    if (site == 0) {
        return;
    }
    sq__dump_add(text, is_call ? ", in a call" : ", submitted");
    if (sq__site_line(site) == 0) {
        sq__symbols_text(view->symbols, sq__site_address(site), name, sizeof name);
        sq__dump_add(text, " by %s", name);
    } else {
        sq__peek_text((const char *)sq__site_address(site), name, sizeof name);
        sq__dump_add(text, " from %s:%u", name, sq__site_line(site));
    }
}
