# whole.awk: WHOLE.md, in the file `out`, of the rows of the reduced searches, and what the seeded bugs came to (`seeded`). `kinds`: of each scenario its
# file, and whether it is small. must: each search has to be complete.

function cell_of(name, memory) { return (name, memory) in cell ? cell[name, memory] : "–" }
function is_complete(name, memory) { return cell_of(name, memory) ~ /^[0-9]+( warm)?$/ }
function is_warm(name) { return cell_of(name, "sc") cell_of(name, "ra") ~ /warm/ }

BEGIN {
    while ((getline line < kinds) > 0) {
        split(line, word, " ")
        if (!(word[2] in scenarios)) {
            files[++file_count] = word[2]
        }
        file_of[word[1]] = word[2]
        scenarios[word[2]] += 1
        if (word[3] == "small") {
            is_small[word[1]] = 1
            small[word[2]] += 1
        }
    }
}

$3 == "whole" || $3 == "warm" {
    if (!($1 in seen)) {
        seen[$1] = 1
        names[++count] = $1
    }
    complete = $0 ~ /, complete/
    if (!(($1, $2) in cell) || (complete && !is_complete($1, $2))) {
        cell[$1, $2] = $4 (!complete ? "+" : $3 == "warm" ? " warm" : "")
    }
    searches += complete
    schedules += $4
    if ($0 ~ /FAILED/ || (must && !complete)) {
        print $1 ": " $2 ($0 ~ /FAILED/ ? " FAILED" : " did not come to its end")
        failed += 1
        has_failed[$1] = 1
    } else {
        passed += 1
    }
}

/^[0-9]+ passed, [0-9]+ failed$/ { ended += 1 }
$3 != "whole" && $3 != "warm" && !/passed, [0-9]+ failed$/ { print } # the steps of a failure

function print_groups(    i, name, file, both, sc, warm, cut, sums, all) {
    for (i = 1; i <= count; i += 1) {
        name = names[i]
        file = file_of[name]
        sc[file] += is_complete(name, "sc")
        warm[file] += is_complete(name, "sc") && is_warm(name)
        both[file] += is_complete(name, "sc") && is_complete(name, "ra")
        both_small[file] += is_complete(name, "sc") && is_complete(name, "ra") && name in is_small
        sums[file] += is_complete(name, "sc") ? cell_of(name, "sc") : 0
        sums[file] += is_complete(name, "ra") ? cell_of(name, "ra") : 0
    }
    print "| scenarios | how many | complete, sequentially consistent | of these warm | complete in both | small | complete in both | schedules of the complete searches |" > out
    print "|---|--:|--:|--:|--:|--:|--:|--:|" > out
    for (i = 1; i <= file_count; i += 1) {
        file = files[i]
        printf "| %s | %d | %d | %d | %d | %d | %d | %d |\n", file, scenarios[file], sc[file], warm[file], both[file], small[file], both_small[file], sums[file] > out
        all[1] += scenarios[file]; all[2] += sc[file]; all[3] += both[file]; all[4] += small[file]; all[5] += both_small[file]; all[6] += sums[file]; all[7] += warm[file]
    }
    printf "| **all** | %d | %d | %d | %d | %d | %d | %d |\n\n", all[1], all[2], all[7], all[3], all[4], all[5], all[6] > out
    summary = sprintf("%d of %d scenarios are complete in both models, %d of %d small ones; %d sequentially consistent, %d of them warm", all[3], all[1], all[5], all[4], all[2], all[7])
}

function print_complete(    i, name) {
    print "## Complete\n" > out
    print "| scenario | sequentially consistent | release/acquire |\n|---|--:|--:|" > out
    for (i = 1; i <= count; i += 1) {
        name = names[i]
        if (is_complete(name, "sc")) {
            printf "| %s | %s | %s |\n", name, cell_of(name, "sc"), cell_of(name, "ra") > out
        }
    }
}

# By their files. In brackets: a number other than the usual one.
function print_cut(    i, j, name, text, at) {
    print "\n## Cut\n" > out
    print "After " most " schedules, and " most_warm " in the warm form, sequentially consistent, without a failure; where a thread spins until another one continues, after the number in brackets." > out
    print "Small ones are in *italics*.\n" > out
    for (i = 1; i <= file_count; i += 1) {
        text = ""
        for (j = 1; j <= count; j += 1) {
            name = names[j]
            if (file_of[name] == files[i] && !is_complete(name, "sc")) {
                at = cell_of(name, "sc")
                text = text (text == "" ? "" : ", ") (name in is_small ? "*" name "*" : name) (name in has_failed ? " FAILED" : at + 0 == most + 0 || at + 0 == most_warm + 0 ? "" : " (" at + 0 ")")
            }
        }
        if (text != "") {
            print "- " files[i] ": " text > out
        }
    }
}

# A row: bug, number or "not", scenarios, memory, "warm" or the reason.
function print_seeded(    line, word, found, all, why) {
    print "\n## Seeded bugs\n" > out
    print "Each bug of `seeded/` in the searches of its scenarios, after how many schedules it was found; at most " seeded_most "." > out
    print "\n| bug | scenario | memory | found after |\n|---|---|---|--:|" > out
    while ((getline line < seeded) > 0) {
        split(line, word, " ")
        all += 1
        found += word[2] ~ /^[0-9]+$/
        why = substr(line, length(word[1] word[2] word[3] word[4]) + 5)
        gsub(/,/, ", ", word[3])
        printf "| %s | %s | %s | %s |\n", word[1], word[3], word[4], word[2] ~ /^[0-9]+$/ ? word[2] (why ? " " why : "") : "not: " why > out
    }
    printf "\n%d of %d are found.\n", found, all > out
    summary = summary sprintf("; %d of %d seeded bugs are found", found, all)
}

END {
    failed += wanted - ended
    print "# Searches that end\n" > out
    print "Made by `Tests/Explore/whole` at " commit ", at most " most " schedules for each search, " most_warm " for a warm one. A number alone: all schedules, without a bound on preemptions, one of" > out
    print "each set that differ in the order of independent steps alone, were run without a failure. `+`: there are more. Release/acquire is tried where the search" > out
    print "without it is complete. *Warm*: each queue's own thread has run a task and waits, before the scenario begins; tried where the other form is cut. *Small*: two threads, or three with one call each. Bounds that remain, and what is left out, are in" > out
    print "[README.md](README.md#searches-that-end).\n" > out
    print_groups()
    print_complete()
    print_cut()
    if (seeded != "") {
        print_seeded()
    }
    printf "%s; %d schedules in %d s\n", summary, schedules, took
    printf "%d passed, %d failed\n", passed, failed
    exit failed > 0
}
