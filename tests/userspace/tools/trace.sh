# SPDX-License-Identifier: MIT
# sov trace runs a program, records a trace and prints its summary.
. tests/tap.sh
. tests/userspace/tools/_page.sh
sov=$(realpath "$BUILD/sov")
json=$BUILD/tests/tools/_json
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export SOV_SOFT=gh100:vram=64M
saxpy="$sov run --block 32 --kernel saxpy_f32 tests/kernels/saxpy.ptx u32:32 f32:2 buf:f32:32:iota buf:f32:32:print"

# shellcheck disable=SC2086 # words
"$sov" trace -o "$dir/a.json" $saxpy >"$dir/out" 2>"$dir/summary"
is $? 0 "sov trace exits with the status 0 of its program"
has "$(cat "$dir/out")" "saxpy_f32 on gh100.0" "standard output of sov trace is the program's"
"$json" <"$dir/a.json"
ok $? "sov trace writes a trace that is valid JSON"
is "$(awk '$1 == "saxpy_f32" { print $2 }' "$dir/summary")" 1 \
	"the summary of a trace counts the kernel"
is "$(awk '/^  copy in/ { print $3, $8 }' "$dir/summary")" "2 256" \
	"the summary of a trace has copies and their bytes"
has "$(cat "$dir/summary")" "sov_function_launch" "the summary of a trace has API calls"
has "$(tail -n 1 "$dir/summary")" "$dir/a.json: open it in" \
	"the last line of the summary names the trace file"

out=$("$sov" trace --read "$dir/a.json" --json)
echo "$out" | "$json"
ok $? "sov trace --read --json prints valid JSON"
has "$out" '"kernels": [{"name": "saxpy_f32", "count": 1, "total_ns": ' \
	"sov trace --read --json lists the kernel"
has "$out" '{"name": "copy in", "count": 2, ' "sov trace --read --json lists the copies"
out=$("$sov" trace --read "$dir/a.json" --html "$dir/a.html")
is $? 0 "sov trace --html succeeds"
has "$out" "$dir/a.html: open it in a browser" "sov trace --html names the page"
check_page "$dir/a.html" events "$(tr ',' '\n' <"$dir/a.json" | grep -c '"ph":"X"')"
printf '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"cat":"call","name":"</script><b>","args":{}}]}' >"$dir/evil"
"$sov" trace --read "$dir/evil" --html "$dir/evil.html" >/dev/null
is "$(grep -c '</script><b>' "$dir/evil.html")" 0 "a name in a trace cannot end the script of the page"
check_page "$dir/evil.html" events 1
is "$("$sov" trace --read "$dir/a.json" --html "$dir/no/x.html" 2>&1 >/dev/null)" \
	"sov: trace: cannot write '$dir/no/x.html': No such file or directory" "a page that cannot be written is an error"
"$sov" trace --json -o "$dir/b.json" -- "$sov" devices --json >"$dir/out" 2>"$dir/summary"
"$json" <"$dir/summary" && "$json" <"$dir/out"
ok $? "options after the program belong to it, and its JSON and the summary's are separate"

"$sov" trace -o "$dir/c.json" sh -c "$saxpy >/dev/null; exit 7" 2>/dev/null
is $? 7 "sov trace exits with the status 7 of its program"
out=$("$sov" trace -o "$dir/d.json" sh -c 'kill -9 $$' 2>&1)
is "$? $out" "137 sov: trace: signal 9 (Killed) terminated 'sh'
sov: trace: 'sh' wrote no trace: it did not call libsov with a device" \
	"sov trace reports the signal that killed its program, with status 137"
out=$("$sov" trace -o "$dir/d.json" true 2>&1)
is "$? $out" "1 sov: trace: 'true' wrote no trace: it did not call libsov with a device" \
	"sov trace reports a program that does not use libsov"
out=$("$sov" trace -o "$dir/d.json" "$dir/none" 2>&1)
is "$? $out" "127 sov: trace: cannot run '$dir/none': No such file or directory" \
	"sov trace exits with 127 if the program does not exist"
out=$("$sov" trace 2>&1)
is "$? $(echo "$out" | head -n 1)" "2 sov: trace: missing operand: PROGRAM" \
	"sov trace without a program is a usage error"

# Programs that start other programs.
"$sov" trace -o "$dir/p-%p.json" sh -c "$saxpy & $saxpy; wait" >/dev/null 2>&1
is "$(find "$dir" -name 'p-[0-9]*.json' | wc -l)" 2 \
	"%p in the file name gives each process a separate trace"

# A program that dies while writing its trace.
size=$(wc -c <"$dir/a.json")
cat >"$dir/half" <<END
#!/bin/sh
head -c $((size - 50)) "$dir/a.json" >"\$SOV_TRACE"
END
chmod 755 "$dir/half"
"$json" <"$dir/a.json" && ! head -c $((size - 50)) "$dir/a.json" | "$json" >/dev/null 2>&1
ok $? "a truncated trace is not valid JSON"
"$sov" trace -o "$dir/e.json" "$dir/half" >"$dir/out" 2>&1
is "$?" 0 "sov trace accepts the truncated trace of a program that died"
"$json" <"$dir/e.json"
ok $? "sov trace repairs a truncated trace to valid JSON"
is "$(awk '$1 == "saxpy_f32" { print $2 }' "$dir/out")" 1 \
	"the summary of a repaired trace has all intact events"

printf '{"traceEvents":[{"ph":"X"' >"$dir/wrong"
is "$("$sov" trace --read "$dir/wrong" 2>&1)" "sov: trace: '$dir/wrong' is not a trace: byte 25: unclosed bracket" \
	"sov trace --read names the byte of a syntax error"
is "$(echo '{}' >"$dir/wrong" && "$sov" trace --read "$dir/wrong" 2>&1)" \
	"sov: trace: '$dir/wrong' is not a trace: byte 1: expected a string" \
	"sov trace --read rejects an empty object"
mkfifo "$dir/fifo"
is "$("$sov" trace -o "$dir/fifo" true 2>&1)" "sov: trace: cannot write '$dir/fifo': not a regular file" \
	"sov trace does not write to a special file"
[ -p "$dir/fifo" ]
ok $? "sov trace keeps a special file at the path of its output"
tap_done
