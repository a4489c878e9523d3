/* processors_test.c: how many processors the library takes a process to have. */
#include "harness.h"
#include "platform/processors.h"
#include "platform/thread.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void write_file(const char *folder, const char *text) {
    char path[300];
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL);
    fputs(text, file);
    fclose(file);
}

TEST(a_control_groups_quota_and_those_above_it_bound_the_processors) {
    char root[] = "/tmp/sq_groups_XXXXXX", outer[100], inner[100], command[200];
    REQUIRE(mkdtemp(root) != NULL);
    snprintf(outer, sizeof outer, "%s/outer", root);
    snprintf(inner, sizeof inner, "%s/outer/inner", root);
    REQUIRE(mkdir(outer, 0700) == 0 && mkdir(inner, 0700) == 0);
    CHECK_EQUAL(sq__processors_within(root, "/outer/inner", 8), 8); /* no file anywhere */
    write_file(inner, "max 100000\n");
    CHECK_EQUAL(sq__processors_within(root, "/outer/inner", 8), 8);
    write_file(inner, "300000 100000\n");
    CHECK_EQUAL(sq__processors_within(root, "/outer/inner", 8), 3);
    CHECK_EQUAL(sq__processors_within(root, "/outer/inner", 2), 2); /* never more than the limit */
    CHECK_EQUAL(sq__processors_within(root, "/outer", 8), 8);
    write_file(outer, "150000 100000\n");
    CHECK_EQUAL(sq__processors_within(root, "/outer/inner", 8), 2); /* rounded up */
    write_file(root, "1000 100000\n");
    CHECK_EQUAL(sq__processors_within(root, "/outer/inner", 8), 1); /* never 0 */
    CHECK_EQUAL(sq__processors_within(root, "/", 8), 1);
    write_file(root, "100000 0\n");
    CHECK_EQUAL(sq__processors_within(root, "/", 8), 8); /* what makes no sense is nothing */
    write_file(root, "");
    CHECK_EQUAL(sq__processors_within(root, "/", 8), 8);
    char long_name[600];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[0] = '/';
    long_name[sizeof long_name - 1] = '\0';
    CHECK_EQUAL(sq__processors_within(root, long_name, 8), 8);
    snprintf(command, sizeof command, "rm -r %s", root);
    CHECK_EQUAL(system(command), 0);
}
