/* error_test.c: the texts of the error codes, and the version. */
#include "harness.h"
#include "serial_queue.h"

#include <errno.h>

static const int codes[] = { 0, EAGAIN, EALREADY, EBUSY, ECANCELED, EDEADLK, EILSEQ, EINPROGRESS, EINVAL, EMFILE, ENFILE, ENOMEM,
                             EOVERFLOW, EPERM, ESHUTDOWN, ESTALE, ETIMEDOUT };
enum { CODES = sizeof codes / sizeof codes[0] };

TEST(each_error_code_has_a_line_of_its_own) {
    const char *unknown = sq_error_text(-1);
    for (int i = 0; i < CODES; i += 1) {
        const char *text = sq_error_text(codes[i]);
        CHECK(text[0] != '\0');
        CHECK(strchr(text, '\n') == NULL);
        CHECK(strcmp(text, unknown) != 0);
        for (int j = 0; j < i; j += 1) {
            CHECK(strcmp(text, sq_error_text(codes[j])) != 0);
        }
    }
}

TEST(every_other_code_is_called_unknown) {
    const char *unknown = sq_error_text(-1);
    for (int code = -1; code < 200; code += 1) {
        bool is_known = false;
        for (int i = 0; i < CODES; i += 1) {
            is_known = is_known || codes[i] == code;
        }
        CHECK_EQUAL(strcmp(sq_error_text(code), unknown) == 0, !is_known);
    }
}

/* sq_dump and sq_trace_start return the system's error for a file. */
TEST(the_text_of_an_unknown_code_says_where_the_error_of_a_file_is_explained) {
    CHECK(strstr(sq_error_text(ENOSPC), "strerror") != NULL);
}

/* An item returns both of these, too. */
TEST(the_texts_of_ealready_and_einprogress_are_true_for_every_object) {
    CHECK(strstr(sq_error_text(EALREADY), "trace") == NULL && strstr(sq_error_text(EALREADY), "exploration") == NULL);
    CHECK(strstr(sq_error_text(EINPROGRESS), "item") != NULL && strstr(sq_error_text(EINPROGRESS), "await") != NULL);
}

TEST(the_version_of_the_library_is_that_of_the_headers) {
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", SQ_VERSION_MAJOR, SQ_VERSION_MINOR, SQ_VERSION_PATCH);
    CHECK(strcmp(sq_version(), expected) == 0);
}
