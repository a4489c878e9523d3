# chatrooms.sh: checks the chat server.

# The program compares what the rooms received with what was sent.
check_chatrooms() { # program
    run "$1" --rooms 20000 --messages 200000 large.txt
    has_status 0
    expect 'every message is received' says 'every message was received once' out
    expect 'the rooms are counted' says 'rooms     20000,' out
    expect 'at most 64 threads besides the authors, main and the alarms' [ "$(awk '/^threads/ { print $2 }' out)" -le 70 ]
    run "$1" --rooms 1 --authors 1 --messages 10
    has_status 0
    run "$1" --help
    has_status 0
    run "$1" missing.txt
    has_status 1
    expect 'a missing file is reported' says 'missing.txt: there is no such file' err
    : >empty.txt
    run "$1" empty.txt
    has_status 1
    for arguments in '--rooms' '--rooms 0' '--authors x' '--messages -1' '--nonsense' 'a b'; do
        run "$1" $arguments
        expect "$arguments: exit status 2, not $status" [ "$status" -eq 2 ]
    done
}
