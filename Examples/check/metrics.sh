# metrics.sh: checks the page for Prometheus, as a client over HTTP.

ask_page() { # PORT PATH: the answer is in out
    exec 3<>"/dev/tcp/127.0.0.1/$1" || return 1
    printf 'GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n' "$2" >&3
    timeout "$patience" cat <&3 | tr -d '\r' >out
    exec 3>&-
}

# The buckets of each histogram ascend, and the last one is its count; the length is what the head says.
page_fits() {
    awk '/^Content-Length: / { said = $2 } body { length_of += length($0) + 1 } /^$/ { body = 1 }
        /_bucket\{/ { key = $1; sub(/,le=.*/, "", key); if ($2 < last[key]) exit bad = 1; last[key] = $2; buckets[key]++ }
        /_count\{/ { key = $1; sub(/_count/, "_bucket", key); sub(/}$/, "", key); if (last[key] != $2 || buckets[key] != (key ~ /depth/ ? 11 : 14)) exit bad = 1; histograms++ }
        END { exit bad || histograms != 6 || said != length_of }' out
}

check_metrics() { # program
    local server port what
    serve "$1"
    for _ in 1 2; do
        expect 'the page is served' ask_page "$port" /metrics
        expect 'found' says 'HTTP/1.1 200 OK' out
        expect 'the type' says 'Content-Type: text/plain; version=0.0.4' out
        expect 'a page that fits' page_fits
        for what in 'queue_depth{queue="store"} 0' 'queue_tasks_total{queue="store",outcome="ran"} 1000' 'queue_tasks_total{queue="room",outcome="ran"} 300' \
            '# TYPE queue_waiting_seconds histogram' 'queue_waiting_seconds_count{queue="store"} 1000' 'queue_running_seconds_count{queue="store"} 1000' \
            'queue_running_seconds_bucket{queue="room",le="+Inf"} 300' 'queue_running_seconds_sum{queue="room"} ' 'le="0.000001023"' \
            'queue_depth_at_start_bucket{queue="room",le="262143"} 300' 'queue_depth_at_start_count{queue="store"} 1000'; do
            expect "$what" says "$what" out
        done
    done
    ask_page "$port" /other
    expect 'another path is not found' says '404 Not Found' out
    exec 3<>"/dev/tcp/127.0.0.1/$port" && exec 3>&- # a client that sends nothing
    expect 'the page is served afterwards' ask_page "$port" /metrics
    kill $server
    status=0
    wait $server || status=$?
    has_status 0
    for what in x '1 2' 65536; do
        run "$1" $what
        has_status 2
    done
}
