# moved.sh: checks the program that was moved by one file.

check_moved() { # program
    run "$1"
    has_status 0
    expect 'the day ends' says 'left: ' out
    SWIFT_BACKTRACE=enable=no run "$1" deadlock
    expect 'the deadlock names the stock' says 'waits for queue "com.example.stock"' err
    expect 'and the till' says 'waits for queue "com.example.till-left"' err
}
