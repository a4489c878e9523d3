/* main.c: sq-trace-read FILE [rows] [progress]: prints what sq-trace makes its table of, and with `rows` what it makes its page of.
 *
 * Python needs 65 microseconds and 2 KB to decode a task and find out what it waited for; this needs 2 microseconds and 130 bytes. */
#include "json.h"
#include "report.h"

#include <errno.h>
#include <string.h>

int main(int count, char **arguments) {
    static trace_t trace;
    static model_t model;
    static report_t report;
    bool rows = false, progress = false;
    for (int i = 2; i < count; i += 1) {
        rows = rows || strcmp(arguments[i], "rows") == 0;
        progress = progress || strcmp(arguments[i], "progress") == 0;
    }
    FILE *file = count > 1 ? fopen(arguments[1], "rb") : NULL;
    if (file == NULL) {
        stop("%s", count > 1 ? strerror(errno) : "sq-trace-read FILE [rows] [progress]");
    }
    trace_read(&trace, file, progress);
    model_make(&model, &trace);
    report_make(&report, &model);
    report_summary(&report);
    if (rows) {
        report_rows(&report);
    }
    json_end();
    return 0;
}
