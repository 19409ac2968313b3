# SPDX-License-Identifier: MIT
# sov trace runs a program, leaves a trace and says what it adds up to.
. tests/tap.sh
sov=$(realpath "$BUILD/sov")
json=$BUILD/tests/tools/_json
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export SOV_SOFT=gh100:vram=64M
saxpy="$sov run --block 32 --kernel saxpy_f32 tests/kernels/saxpy.ptx u32:32 f32:2 buf:f32:32:iota buf:f32:32:print"

# shellcheck disable=SC2086 # words
"$sov" trace -o "$dir/a.json" $saxpy >"$dir/out" 2>"$dir/sums"
is $? 0 "a program runs under sov trace"
has "$(cat "$dir/out")" "saxpy_f32 on gh100.0" "its output is its own"
"$json" <"$dir/a.json"
ok $? "the trace is JSON"
is "$(awk '$1 == "saxpy_f32" { print $2 }' "$dir/sums")" 1 "its kernel is counted"
is "$(awk '/^  copy in/ { print $3, $8 }' "$dir/sums")" "2 256" "so are copies, with their bytes"
has "$(cat "$dir/sums")" "sov_function_launch" "and calls"
has "$(tail -n 1 "$dir/sums")" "$dir/a.json: open it in" "the last line says where the trace is"

out=$("$sov" trace --read "$dir/a.json" --json)
echo "$out" | "$json"
ok $? "the sums are JSON if asked for"
has "$out" '"kernels": [{"name": "saxpy_f32", "count": 1, "total_ns": ' "with the same in it"
has "$out" '{"name": "copy in", "count": 2, ' "and the copies"
"$sov" trace --json -o "$dir/b.json" -- "$sov" devices --json >"$dir/out" 2>"$dir/sums"
"$json" <"$dir/sums" && "$json" <"$dir/out"
ok $? "JSON of the program and of the sums do not mix, and options behind the program are the program's"

"$sov" trace -o "$dir/c.json" sh -c "$saxpy >/dev/null; exit 7" 2>/dev/null
is $? 7 "the exit status is the program's"
out=$("$sov" trace -o "$dir/d.json" sh -c 'kill -9 $$' 2>&1)
is "$? $out" "137 sov: trace: 'sh' was ended by signal 9, Killed
sov: trace: 'sh' wrote no trace: it made no call of libsov that needs a device" "so is its death"
out=$("$sov" trace -o "$dir/d.json" true 2>&1)
is "$? $out" "1 sov: trace: 'true' wrote no trace: it made no call of libsov that needs a device" \
	"a program that does not use the library is told"
out=$("$sov" trace -o "$dir/d.json" "$dir/none" 2>&1)
is "$? $out" "127 sov: trace: cannot run '$dir/none': No such file or directory" "so is none"
out=$("$sov" trace 2>&1)
is "$? $(echo "$out" | head -n 1)" "2 sov: trace: no program to run" "and no command"

# Programs that start others.
"$sov" trace -o "$dir/p-%p.json" sh -c "$saxpy & $saxpy; wait" >/dev/null 2>&1
is "$(find "$dir" -name 'p-[0-9]*.json' | wc -l)" 2 "with %p each process has a trace of its own"

# One that died while it wrote.
size=$(wc -c <"$dir/a.json")
cat >"$dir/half" <<END
#!/bin/sh
head -c $((size - 50)) "$dir/a.json" >"\$SOV_TRACE"
END
chmod 755 "$dir/half"
"$json" <"$dir/a.json" && ! head -c $((size - 50)) "$dir/a.json" | "$json" >/dev/null 2>&1
ok $? "half a trace is no JSON"
"$sov" trace -o "$dir/e.json" "$dir/half" >"$dir/out" 2>&1
is "$?" 0 "what a program left that died while it wrote is read"
"$json" <"$dir/e.json"
ok $? "and mended"
is "$(awk '$1 == "saxpy_f32" { print $2 }' "$dir/out")" 1 "with all that was whole in it"

printf '{"traceEvents":[{"ph":"X"' >"$dir/wrong"
is "$("$sov" trace --read "$dir/wrong" 2>&1)" "sov: trace: '$dir/wrong' is no trace: byte 25: a bracket is not closed" \
	"what is no trace is refused, with the byte"
is "$(echo '{}' >"$dir/wrong" && "$sov" trace --read "$dir/wrong" 2>&1)" \
	"sov: trace: '$dir/wrong' is no trace: byte 1: a string should be here" "also an empty one"
tap_done
