# results.awk: the tables of RESULTS.md, from what real and simulate (near, then far) have printed.
function short(value) { return sprintf(value < 10 ? "%.1f" : "%.0f", value) }
FNR == 1 { part += 1 }
$2 == "processors" { for (i = 4; i <= NF; i += 1) kind[i] = $i; kinds = NF; next }
part == 1 { # the lowest of several rounds
    if (!(($1, $2) in low) || $3 < low[$1, $2]) { low[$1, $2] = $3; half[$1, $2] = $4 }
    next
}
part == 2 {
    if (!($1 in seen)) { seen[$1] = 1; names[++count] = $1 }
    near[$1, $2] = $3
    for (i = 4; i <= kinds; i += 1) moves[$1, $2, i] = $i
    next
}
part == 3 { far[$1, $2] = $3 }
END {
    print "# What the core costs on many processors\n"
    print "By `make scaling`. Documentation/Performance.md says what it means. " where "\n"
    print "## This machine and the simulation\n"
    print "Nanoseconds between two operations, of all threads together. Measured: the lowest tenth of 200 runs, and half of them, of the best of three rounds.\n"
    print "| scenario | P | measured | half | simulated | simulated / measured |\n|---|---:|---:|---:|---:|---:|"
    for (n = 1; n <= count; n += 1) for (p = 1; p <= 2; p += 1) if ((names[n], p) in low)
        printf "| %s | %d | %s | %s | %s | %.2f |\n", names[n], p, short(low[names[n], p]), short(half[names[n], p]), short(near[names[n], p]), near[names[n], p] / low[names[n], p]
    print "\n## Predicted\n"
    print "The same, on P processors that are all near each other; the last two columns: in groups of eight, where a line from another group"
    print "costs four times as much.\n"
    print "| scenario | 1 | 2 | 4 | 8 | 16 | 32 | 64 | 2, far | 64, far |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for (n = 1; n <= count; n += 1) {
        row = "| " names[n]
        for (p = 1; p <= 64; p *= 2) row = row " | " ((names[n], p) in near ? short(near[names[n], p]) : "")
        print row " | " short(far[names[n], 2]) " | " short(far[names[n], 64]) " |"
    }
    print "\n## Lines\n"
    print "Cache lines that one operation takes from other processors, by what lies in them.\n"
    head = "| scenario | P"; rule = "|---|---:"
    for (i = 4; i <= kinds; i += 1) { head = head " | " kind[i]; rule = rule "|---:" }
    print head " |\n" rule "|"
    for (n = 1; n <= count; n += 1) for (p = 1; p <= 64; p *= 2) if ((names[n], p) in near) {
        row = "| " names[n] " | " p
        for (i = 4; i <= kinds; i += 1) row = row " | " (moves[names[n], p, i] < 0.005 ? "" : moves[names[n], p, i])
        print row " |"
    }
}
