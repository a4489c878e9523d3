# loops.sh: checks the event loops and the server.

# The host's callbacks and the tasks of the main queue are on one thread: the program itself checks that.
check_loop() { # program HOST
    for _ in 1 2 3; do
        run "$1"
        has_status 0
        expect 'the primes below 240,000' says "$(seq 0 239999 | factor | awk 'NF == 2' | wc -l) primes in 12 results" out
        expect 'both timers' says "$2: " out
        expect 'all on the main thread' says "host's timer fired, queue's timer fired, 0 not on the main thread" out
    done
}
check_loop_epoll() { check_loop "$1" epoll; }
check_loop_glib() { check_loop "$1" glib; }
check_loop_uv() { check_loop "$1" uv; }

# A client of the server: sends numbers, and wants one answer for each, in their order.
ask() { # PORT FROM: 50 numbers
    local number answer
    exec 3<>"/dev/tcp/127.0.0.1/$1" || return 1
    seq "$2" $(($2 + 49)) >&3
    for number in $(seq "$2" $(($2 + 49))); do
        read -r -t "$patience" answer <&3 || return 1
        case $answer in "$number is "*) ;; *) return 1 ;; esac
        case $(factor "$number" | wc -w),$answer in 2,*' is prime;'*) ;; 2,*) return 1 ;; *' is prime;'*) return 1 ;; esac
    done
    exec 3>&-
}

check_loop_server() { # program
    local server port clients=() client
    serve "$1"
    for client in $(seq 0 9); do
        (ask "$port" $((2 + 50 * client))) &
        clients+=($!)
    done
    for client in "${clients[@]}"; do
        expect 'a client gets its answers in order' wait "$client"
    done
    (exec 3<>"/dev/tcp/127.0.0.1/$port" && echo stop >&3)
    status=0
    wait $server || status=$?
    cp served out
    has_status 0
    expect 'no request is lost or counted twice' says "500 requests, $(seq 2 501 | factor | awk 'NF == 2' | wc -l) primes" out
}
