# autosave.sh: checks the program on a manual clock.

# Without arguments its clock is a manual pool's: it always says the same.
check_autosave() { # program
    run "$1"
    has_status 0
    expect 'an hour of saves' says '1800 keystrokes, 361 saves, 60 minutes, 0 unsaved' out
}
