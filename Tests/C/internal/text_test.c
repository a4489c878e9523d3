/* text_test.c: what is shown of texts is valid UTF-8, without control characters. */
#include "caller.h"

#include "platform/text.h"

#include <iconv.h>
#include <stdio.h>
#include <string.h>

static const char *printable(const char *text) {
    static char copy[64];
    memset(copy, 'x', sizeof copy);
    snprintf(copy, sizeof copy, "%s", text);
    sq__make_printable(copy, sizeof copy);
    return copy;
}

static bool is_utf8(const char *text) {
    static iconv_t converter;
    if (converter == NULL) {
        converter = iconv_open("UCS-4BE", "UTF-8");
        REQUIRE(converter != (iconv_t)-1);
    }
    char to[64], *out = to, *in = (char *)(uintptr_t)text;
    size_t room = sizeof to, left = strlen(text);
    bool is_valid = iconv(converter, &in, &left, &out, &room) != (size_t)-1;
    for (const char *character = to; is_valid && character < out; character += 4) {
        is_valid = character[0] == 0 && character[1] <= 0x10; /* glibc knows the characters beyond Unicode, too */
    }
    return is_valid;
}

TEST(what_is_no_printable_character_becomes_a_question_mark) {
    CHECK_STRING(printable("gr\xc3\xb6\xc3\x9f" "er \xf0\x9f\xa7\xb5"), "gr\xc3\xb6\xc3\x9f" "er \xf0\x9f\xa7\xb5");
    CHECK_STRING(printable("red \033[31m\x7f\n"), "red ?[31m??");
    CHECK_STRING(printable("Latin-1: gr\xf6\xdf" "e"), "Latin-1: gr??e");
    CHECK_STRING(printable("cut \xf0\x9f\xa7"), "cut ???");
    CHECK_STRING(printable("C1 \xc2\x9b" "31m"), "C1 ??31m"); /* a terminal may take it for escape and bracket */
}

/* The C library judges. */
TEST(every_pair_of_bytes_before_two_more_becomes_utf8) {
    unsigned changed = 0;
    for (unsigned first = 1; first < 256; first += 1) {
        for (unsigned second = 1; second < 256; second += 1) {
            const char text[] = { (char)first, (char)second, '\x80', '\xbf', 'a', '\0' };
            const char *shown = printable(text);
            bool is_same = strcmp(shown, text) == 0;
            changed += !is_same;
            bool has_control = first < ' ' || second < ' ' || first == 0x7F || second == 0x7F || (first == 0xC2 && second < 0xA0);
            if (!is_utf8(shown) || is_same != (is_utf8(text) && !has_control)) {
                fprintf(stderr, "%02x %02x 80 bf\n", first, second);
                CHECK(false);
            }
        }
    }
    CHECK(changed > 0);
}

TEST(a_copy_is_cut_between_characters) {
    char copy[8];
    sq__text_copy(copy, sizeof copy, "gr\xc3\xb6\xc3\x9f" "er"); /* eight bytes */
    CHECK_STRING(copy, "gr\xc3\xb6\xc3\x9f" "e");
    sq__text_copy(copy, 6, "gr\xc3\xb6\xc3\x9f" "er");
    CHECK_STRING(copy, "gr\xc3\xb6");
    sq__text_copy(copy, 1, "\xc3\xb6");
    CHECK_STRING(copy, "");
    CHECK_EQUAL(sq__text_length("\xf0\x9f\xa7\xb5", 3), 0);
    CHECK_EQUAL(sq__text_length("abc", 3), 3);
}
