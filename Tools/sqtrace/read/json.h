/* json.h: writes JSON to stdout. A comma comes before what is not the first one in its list. */
#pragma once

#include <stddef.h>
#include <stdint.h>

void json_open(char bracket);  /* '[' or '{' */
void json_close(char bracket);
void json_name(const char *name); /* of the next value */
void json_number(uint64_t number);
void json_index(uint32_t index); /* NONE: -1 */
void json_text(const char *at, size_t length);
void json_line(void); /* ends the line, and begins anew */
void json_end(void);
