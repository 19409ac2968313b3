# SPDX-License-Identifier: MIT
# tests/run counts every program that it is given: one that is lost, crashes, hangs or reports less than it plans is a
# failure that is named, and the exit status says so.
. tests/tap.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset STRICT JOBS SUITE TEST_CPU_SECONDS TEST_IDLE_SECONDS TEST_WALL_SECONDS

program() { # name; its text on standard input
	cat >"$dir/$1.sh"
}
program passes <<'END'
echo "ok 1 - one"
echo "ok 2 - two"
echo "1..2"
END
program fails <<'END'
echo "not ok 1 - one"
echo "1..1"
exit 1
END
program skips <<'END'
echo "ok 1 - one # SKIP no card"
echo "ok 2 - two"
echo "1..2"
END
program skips_all <<'END'
echo "1..0 # SKIP no card"
END
program empty <<'END'
echo "1..0"
END
program planless <<'END'
echo "ok 1 - one"
END
program silent </dev/null
program short <<'END'
echo "ok 1 - one"
echo "1..2"
END
program long <<'END'
echo "ok 1 - one"
echo "ok 2 - two"
echo "1..1"
END
program plans_twice <<'END'
echo "ok 1 - one"
echo "1..2"
echo "1..1"
END
program exits <<'END'
echo "ok 1 - one"
echo "1..1"
exit 3
END
program crashes <<'END'
echo "ok 1 - one"
kill -SEGV $$
END
program crashes_after_plan <<'END'
echo "ok 1 - one"
echo "1..1"
kill -SEGV $$
END
program burns <<'END'
echo "ok 1 - one"
while :; do :; done
END
program waits <<'END'
echo "ok 1 - one"
timeout 1000 sleep 1000
END
program polls <<'END'
echo "ok 1 - one"
while :; do sleep 1; done
END
program ignores_sigterm <<'END'
trap "" TERM
echo "ok 1 - one"
sleep 1000
END
program works <<'END'
i=0
while [ $i -lt 200000 ]; do i=$((i + 1)); done
echo "ok 1 - one"
echo "1..1"
END
program leaves_a_process <<'END'
sleep 1000 &
echo $! >$BUILD/left
echo "ok 1 - one"
echo "1..1"
END
# Kills the processes between tests/run and itself, the nearest to tests/run first.
program kills_its_runner <<'END'
echo "ok 1 - one"
echo "1..1"
chain=
pid=$$
while pid=$(awk '$1 == "PPid:" { print $2 }' "/proc/$pid/status"); do
	[ "$pid" -gt 1 ] && [ "$pid" != "$(cat "$BUILD/runner")" ] || break
	chain="$pid $chain"
done
kill -9 $chain
END

# verdict NAME LAST_LINE STATUS TEXT PROGRAM... : checks the last line, the exit status, and that the output has TEXT.
verdict() {
	name=$1 want="$2, exit status $3" text=$4
	shift 4
	# shellcheck disable=SC2046 # a list of words
	out=$(BUILD=$dir/build sh -c 'echo $$ >"$BUILD/runner"; exec tests/run "$@"' run ${1:+$(printf "$dir/%s.sh " "$@")} 2>&1)
	status=$?
	is "$(echo "$out" | tail -n 1), exit status $status" "$want" "$name"
	has "$out" "$text" "$name: the report says so"
}
mkdir "$dir/build"

# Takes seconds, without CPU time: runs beside the others.
BUILD=$dir/slow TEST_IDLE_SECONDS=1 tests/run "$dir/ignores_sigterm.sh" >"$dir/slow.log" 2>&1 &
slow=$!

verdict "programs that pass are counted" "3 passed, 0 failed, 0 skipped" 0 "" passes works
verdict "no program at all is no success" "0 passed, 0 failed, 0 skipped" 1 ""
verdict "a failed check is counted" "2 passed, 1 failed, 0 skipped" 1 "not ok 1 - one" passes fails
verdict "a skipped check is counted" "1 passed, 0 failed, 1 skipped" 0 "ok 1 - one # SKIP no card" skips
STRICT=1
export STRICT
verdict "a skipped check is a failure if STRICT is set" "1 passed, 1 failed, 0 skipped" 1 "# SKIP no card" skips
verdict "a skipped program is a failure if STRICT is set" "0 passed, 1 failed, 0 skipped" 1 "1..0 # SKIP no card" skips_all
unset STRICT
verdict "a skipped program is counted" "2 passed, 0 failed, 1 skipped" 0 "1..0 # SKIP no card" skips_all passes
verdict "an empty plan without a reason is a failure" "2 passed, 1 failed, 0 skipped" 1 \
	"$dir/empty.sh ($dir/build) has an empty plan" passes empty
verdict "a missing plan is a failure" "1 passed, 1 failed, 0 skipped" 1 \
	"$dir/planless.sh ($dir/build) exited with status 0 without a plan" planless
verdict "a program that prints nothing is a failure" "2 passed, 1 failed, 0 skipped" 1 "without a plan" silent passes
verdict "fewer results than planned are a failure" "1 passed, 1 failed, 0 skipped" 1 "printed 1 results, its plan says 2" short
verdict "more results than planned are a failure" "2 passed, 1 failed, 0 skipped" 1 "printed 2 results, its plan says 1" long
verdict "two plans are a failure" "1 passed, 1 failed, 0 skipped" 1 "printed 2 plans" plans_twice
verdict "a failing exit status is a failure" "1 passed, 1 failed, 0 skipped" 1 "status 3 although no check failed" exits
verdict "a crash is a failure" "1 passed, 1 failed, 0 skipped" 1 "was killed by signal 11" crashes
verdict "a crash after the plan is a failure" "1 passed, 1 failed, 0 skipped" 1 "was killed by signal 11" crashes_after_plan
verdict "a program that does not exist is a failure" "0 passed, 1 failed, 0 skipped" 1 "missing.sh" missing
verdict "a program named twice runs twice" "4 passed, 0 failed, 0 skipped" 0 "" passes passes
TEST_CPU_SECONDS=1 verdict "a livelock is stopped by its CPU time" "1 passed, 1 failed, 0 skipped" 1 \
	"used more than 1 s of CPU time" burns
TEST_IDLE_SECONDS=1 verdict "a deadlock is stopped because it uses almost no CPU time" "1 passed, 1 failed, 0 skipped" 1 \
	"used less than 0.01 s of CPU time in 1 s" waits
TEST_IDLE_SECONDS=4 verdict "a deadlock that polls now and then is stopped" "1 passed, 1 failed, 0 skipped" 1 \
	"used less than 0.04 s of CPU time in 4 s" polls
has "$(cat "$dir"/build/test-logs/run/*polls.sh.log)" ": system call " "the log says what each thread of a deadlock waits for"
TEST_WALL_SECONDS=1 verdict "the last resort is a limit of wall time" "1 passed, 1 failed, 0 skipped" 1 \
	"ran for more than 1 s" waits
TEST_CPU_SECONDS=soon verdict "a limit that is no number is a failure" "0 passed, 2 failed, 0 skipped" 1 \
	"TEST_CPU_SECONDS is 'soon'; it must be a number" passes
JOBS=1 verdict "the programs that a killed runner did not run are failures" "3 passed, 3 failed, 0 skipped" 1 \
	"not ok - $dir/works.sh ($dir/build) did not run to its end: its log is missing" passes kills_its_runner works
has "$out" "not ok - $dir/kills_its_runner.sh ($dir/build) did not run to its end: its log lacks the exit status" \
	"the program that was running when its runner was killed is a failure"

verdict "a program that leaves a process behind passes" "1 passed, 0 failed, 0 skipped" 0 "" leaves_a_process
! grep -qE '^State:[[:space:]]+[^ZX[:space:]]' "/proc/$(cat "$dir/build/left")/status" 2>/dev/null
ok $? "processes that a program leaves behind are killed"

SUITE=first verdict "a suite of its own" "1 passed, 1 failed, 0 skipped" 1 "$dir/build/test-logs/first/" short
SUITE=second verdict "another suite" "2 passed, 0 failed, 0 skipped" 0 "" passes
has "$(cat "$dir"/build/test-logs/first/*short.sh.log)" "1..2" "the log of an earlier suite stays where the report says"

# An interrupted supervisor names the commands that it interrupts.
echo "$dir/interrupted.log sh $dir/waits.sh" >"$dir/plan"
"$dir/build/supervise" "$dir/plan" 2>"$dir/supervisor.log" &
until grep -q '^ok' "$dir/interrupted.log" 2>/dev/null; do
	sleep 0.1
done
kill -TERM $!
wait $!
has "$(cat "$dir/supervisor.log")" "tests: 0 of 1 ended; running: $dir/waits.sh (" "an interrupted supervisor names what ran"

wait $slow
is "exit status $?, $(tail -n 1 "$dir/slow.log")" "exit status 1, 1 passed, 1 failed, 0 skipped" \
	"a program that ignores SIGTERM is killed"
tap_done
