# explored.sh: checks the two programs that explore their schedules.

# The tape of the report repeats the failure, and does not fit the other version.
check_transfers() { # program
    run "$1"
    has_status 1
    expect 'the failure names the line' says 'money is lost or found' out
    expect 'the failure has a timeline' says 'calls Account 2' out
    expect 'the failure can be replayed' says "SQ_TAPE='bank/" out
    tape=$(sed -n "s/.*SQ_TAPE='\(.*\)'/\1/p" out)
    SQ_TAPE=$tape run "$1"
    has_status 1
    expect 'the tape repeats the failure' says 'replayed' out
    run "$1" --careful
    has_status 0
    expect 'the fixed bank passes' says 'schedules 1000 (random' out
}

check_bank() { # program
    run "$1"
    has_status 0
    expect 'the careless version fails' says 'careless failed: savings.balance >= 0' out
    expect 'the report says what matters' says 'the test passes.' out
    expect 'the careful version has no other schedule' says 'complete, there are no others' out
    tape=$(sed -n "s/.*SQ_TAPE='\(.*\)'/\1/p" out)
    SQ_TAPE=$tape run "$1" careless
    has_status 1
    expect 'the tape repeats the failure' says 'careless failed: savings.balance >= 0' out
    SQ_TAPE=$tape run "$1" careful
    has_status 0
    expect 'a tape of another test has no effect, and a line says so' says 'SQ_TAPE is of the test "careless", and has no effect on others' err
    run "$1" careful
    has_status 0
    run "$1" nonsense
    has_status 2
}
