# find_lldb.sh: sourced. Sets `lldb` to the first lldb whose Python works, and PYTHONPATH for it; "": there is none, and each has said why. A toolchain's
# may need a version of libpython that the system does not have, and Debian 12's looks for its module in the wrong folder.
lldb=
for candidate in lldb $(compgen -c lldb- | grep -xE 'lldb-[0-9]+' | sort -u); do
    for modules in "" /usr/lib/llvm-*/lib/python3.*/*-packages; do
        answer=$(PYTHONPATH=$modules timeout 60 "$candidate" -x -b -o 'script print(6 * 7)' 2>&1)
        if grep -qx 42 <<< "$answer"; then
            lldb=$candidate
            export PYTHONPATH=$modules
            break 2
        fi
    done
    echo "$candidate: $(tail -n 1 <<< "$answer")"
done
