# results.awk: the rows of the explorer, of a scenario in a memory by a search each, as one table with a line per scenario.

function note(name) {
    if (!(name in seen)) {
        seen[name] = 1
        names[++count] = name
    }
}

# A row: scenario, memory, search, schedules, steps, seconds, result.
$2 ~ /^(sc|tso|ra)$/ && $3 ~ /^(dfs|pct|random)$/ {
    note($1)
    if ($3 == "dfs") {
        deep[$1, $2] = $4 ($0 ~ /, complete/ ? "" : "+")
        $0 ~ /, complete/ ? complete += 1 : cut += 1
    } else {
        others[$1] += $4
    }
    schedules[$1] += $4
    seconds[$1] += $6
    if ($0 ~ /FAILED/) {
        result[$1] = result[$1] " " $2 " " $3 " FAILED"
        failures += 1
    }
}

function deep_in(name, memory) { return (name, memory) in deep ? deep[name, memory] : "\342\200\223" }

END {
    print "# The explorer's results\n"
    print "Made by `Tests/Explore/run` at " commit ": " how ", " jobs " at a time, " compiler "."
    print "Depth first: all schedules within the bounds of [README.md](README.md) (2 preemptions), in three memory modes; `+`: cut"
    print "there, more exist. PCT and random: in the three modes together. Seconds are of one processor.\n"
    print "| scenario | depth first, SC | TSO | release/acquire | PCT and random | seconds | result |"
    print "|---|--:|--:|--:|--:|--:|---|"
    for (i = 1; i <= count; i += 1) {
        name = names[i]
        printf "| %s | %s | %s | %s | %d | %.1f | %s |\n", name, deep_in(name, "sc"), deep_in(name, "tso"), deep_in(name, "ra"),
               others[name], seconds[name], name in result ? result[name] : "passed"
        total += schedules[name]
        time += seconds[name]
    }
    printf "\n%d schedules of %d scenarios, %d failures; depth first complete in %d cases, cut in %d; %d s by the clock,", total,
           count, failures, complete, cut, took
    printf " %d s of processors.\nSeeded bugs found: %s.\n", time, found
}
