# whole.awk: the rows of the reduced searches as one table with a line per scenario, in the file `out`. must: each search has to be complete.

$3 == "whole" {
    if (!($1 in seen)) {
        seen[$1] = 1
        names[++count] = $1
    }
    is_complete = $0 ~ /, complete/
    cell[$1, $2] = $4 (is_complete ? "" : "+")
    complete += is_complete
    schedules += $4
    if ($0 ~ /FAILED/ || (must && !is_complete)) {
        result[$1] = result[$1] " " $2 (is_complete || $0 ~ /FAILED/ ? " FAILED" : " did not come to its end")
        failed += 1
    } else {
        passed += 1
    }
}

/^[0-9]+ passed, [0-9]+ failed$/ { ended += 1 }
$3 != "whole" && !/passed, [0-9]+ failed$/ { print } # the steps of a failure

function cell_of(name, memory) { return (name, memory) in cell ? cell[name, memory] : "–" }

END {
    failed += wanted - ended
    print "# Searches that end\n" > out
    print "Made by `Tests/Explore/whole` at " commit ", at most " most " schedules for each. A number alone: all schedules, without a bound on preemptions, one of each set" > out
    print "that differ in the order of independent steps alone, were run without a failure. `+`: there are more. Bounds that remain, and what is left out, are in" > out
    print "[README.md](README.md#searches-that-end).\n" > out
    print "| scenario | sequentially consistent | release/acquire | result |\n|---|--:|--:|---|" > out
    for (i = 1; i <= count; i += 1) {
        name = names[i]
        both += cell_of(name, "sc") !~ /[+–]/ && cell_of(name, "ra") !~ /[+–]/
        if (cell_of(name, "sc") cell_of(name, "ra") ~ /^[0-9]+\+[0-9]+\+$/ && !(name in result)) {
            more += 1
            continue
        }
        printf "| %s | %s | %s | %s |\n", name, cell_of(name, "sc"), cell_of(name, "ra"), name in result ? result[name] : "passed" > out
        if (name in result) {
            print name ":" result[name]
        }
    }
    summary = sprintf("%d of %d scenarios are complete in both models, %d of %d searches; %d schedules in %d s.", both, count, complete, passed + failed, schedules, took)
    print "\n" summary " Not listed: " more " scenarios that have more schedules than that in both models." > out
    print summary
    printf "%d passed, %d failed\n", passed, failed
    exit failed > 0
}
