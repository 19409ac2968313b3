# SPDX-License-Identifier: MIT
# tests/silicon/programs/run.py, which compares builds of public CUDA programs on a real GPU: its verdicts, its
# timers and which runs it repeats. Here nvcc is an empty file, and the programs are shell commands that know which
# assembler built them.
. tests/tap.sh
command -v python3 >/dev/null || {
	skip "run.py compares programs" "no python3"
	tap_done
	exit
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/cuda/bin" "$work/sources/suite/shared"
printf '#!/bin/sh\n' >"$work/cuda/bin/nvcc"
cp "$work/cuda/bin/nvcc" "$work/cuda/bin/ptxas"
chmod +x "$work/cuda/bin/nvcc" "$work/cuda/bin/ptxas"
echo word >"$work/sources/suite/shared/file"

# row NAME BUILD RUN [WHY] : adds a program. The build leaves the name of the assembler in the file `by`; the function
# `ours A B` of both commands executes A if sov built the program and B if ptxas did.
row() {
	mkdir -p "$work/sources/suite/$1"
	printf 'suite\t%s\t%s\tcase {nvcc} in *cuda-sov*) echo sov;; *) echo ptxas;; esac >by; %s %s\t%s %s\n' \
		"$1" "$1" "$ours" "$2" "$ours" "$3${4:+	$4}" >>"$work/list"
}
ours='ours() { if [ $(cat by) = sov ]; then eval "$1"; else eval "$2"; fi; };'
# verdict NAME STATE [RATIO] : checks the state of a program, and ptxas's time divided by ours.
verdict() {
	is "$(echo "$out" | awk -v name="suite/$1" '$1 == name { print $2, substr($0, 53, 5) }' | tr -d ' ')" \
		"$2$3" "run.py's verdict: $4"
}
run() {
	PATH="$work/cuda/bin:$PATH" python3 tests/silicon/programs/run.py --sources "$work/sources" --sov "$work/cuda/bin/ptxas" \
		--out "$work/out" --list "$work/list" --jobs 4 --repeat 2 --limit 5 "$@" 2>&1
}

printf '# comment\nsuite\t*\tshared\n' >"$work/list"
row same 'cat ../shared/file' 'echo PASS 1 2 3'
row close : 'ours "echo 1.00001" "echo 1.00002"'
row far : 'ours "echo 1.1" "echo 1.2"'
row verdict : 'ours "echo FAIL" "echo PASS"'
row status : 'ours "exit 1" "exit 0"'
row failing : 'exit 3'
row refused 'ours "echo sov: no; exit 1" :' :
row unbuilt 'exit 1' :
row endless : 'sleep 12'
row hangs : 'ours "sleep 12" :'
row late : 'ours "sleep 6" :; echo done'
row known : 'ours "echo 1" "echo 2"' 'it is undefined'
row random : 'ours "echo 100 5" "echo x >>runs; echo \$(wc -l <runs) 5"'
row flaky : 'echo x >>runs; ours "wc -l <runs >n; [ \$(cat n) = 1 ] && echo 8 || echo 7" "echo 7"'
row speed : 'ours "echo kernel time: 4.0 ms" "echo kernel time: 2.0 ms"; echo time of the host: $$ ms'
row threads : 'ours "echo time, 64 threads: 5.0 ms" "echo time, 64 threads: 2.0 ms"'
row rate : 'ours "echo 30.0 GB/s" "echo 40.0 GB/s"'
row lines : 'ours "printf \"GPU Time in seconds:\\\\n0.004\\\\n\"" "printf \"GPU Time in seconds:\\\\n0.002\\\\n\""'
row table : 'ours "printf \"Scan\\\\tms\\\\t8.0\\\\t9.0\\\\n\"" "printf \"Scan\\\\tms\\\\t2.0\\\\t9.0\\\\n\""'
out=$(run)
is $? 1 "run.py fails if a program is wrong with sov"
verdict same same "" "equal output"
verdict close close "" "a relative difference below 1e-3"
verdict far DIFFERENT "" "a relative difference above 1e-3"
verdict verdict DIFFERENT "" "FAIL instead of PASS"
verdict status WRONG "" "another exit status"
verdict failing failing "" "the same exit status, not 0"
verdict refused refused "" "only ptxas builds it"
verdict unbuilt unbuilt "" "ptxas does not build it"
verdict endless endless "" "does not end in time with ptxas"
verdict hangs WRONG "" "does not end in time with sov alone"
verdict late same "" "what ends in twice the limit, alone, is not wrong"
verdict known explained "" "a difference that the list explains"
verdict random same "" "a number that differs between ptxas's runs is not compared"
verdict flaky DIFFERENT "" "one of several runs differs"
verdict speed same 0.50 "the time of a kernel; that of the host is not compared"
verdict threads same 0.40 "the time of threads, which is not that of a read"
verdict rate same 0.75 "a rate, if there is no time"
verdict lines same 0.50 "a time on the line after its label"
verdict table same 0.25 "a time after its unit, in a table"
has "$out" "# 3 DIFFERENT, 2 WRONG, 1 close, 1 endless, 1 explained, 1 failing, 1 refused, 8 same, 1 unbuilt" "run.py counts its verdicts"
is "$(wc -l <"$work/out/build-sov/suite/flaky/runs")" 3 "different output runs twice more"
is "$(wc -l <"$work/out/programs.json")" 19 "run.py logs every program"

# limiters.py profiles what run.py built with ncu, here a script: kernels as slow as the programs say, of which those of
# sov wait longer for memory; "table" has no report.
cat >"$work/cuda/bin/ncu" <<'EOF'
#!/bin/sh
if [ "$1" = -i ]; then
	name='"Kernel Name","Grid Size","Block Size"' time='gpu__time_duration.sum' stalled=smsp__average_warps_issue_stalled
	echo "$name,$time,smsp__inst_executed.sum,launch__registers_per_thread,sm__warps_active.avg.pct_of_peak_sustained_active,${stalled}_long_scoreboard_per_issue_active.ratio,${stalled}_wait_per_issue_active.ratio"
	echo '"","","","ns","inst","register/thread","%","inst","inst"'
	case $2 in
	*speed.sov*) echo '"void slow<int>(int *)","(4, 1, 1)","(256, 1, 1)","4,000","110","40","50.0","9.0","1.0"' ;;
	*) echo '"void slow<int>(int *)","(4, 1, 1)","(256, 1, 1)","2,000","100","32","50.0","4.0","1.0"' ;;
	esac
	exit
fi
while [ "$1" != -o ]; do shift; done
case $2 in *table*) ;; *) : >"$2.ncu-rep" ;; esac
EOF
chmod +x "$work/cuda/bin/ncu"
limiters() {
	PATH="$work/cuda/bin:$PATH" python3 tests/silicon/programs/limiters.py --out "$work/out" --list "$work/list" "$@" 2>&1
}
out=$(limiters --below 0.6)
is $? 1 "limiters.py fails if a program was not profiled"
has "$out" "| suite/speed | 0.50 | slow | 2.00 | 1.10 | 40 / 32 | 50 / 50 % | global and local memory +118 % |" \
	"limiters.py names the kernel that loses time and what its warps wait for"
has "$out" "| suite/threads | 0.40 | | | | | | kernels as fast as ptxas's: launches, or noise |" \
	"limiters.py says where no kernel is slower"
has "$out" "| suite/table | 0.25 | | | | | | not profiled |" "limiters.py says what has no profile"
is "$(echo "$out" | grep -c suite/rate)" 0 "limiters.py leaves out faster programs"
out=$(limiters --below 0.6 --only speed --keep "$work/profiles")
ok $? "limiters.py succeeds if every program was profiled"
is "$(ls "$work/profiles")" "suite-speed.ptxas.raw.csv
suite-speed.ptxas.source.csv
suite-speed.sov.raw.csv
suite-speed.sov.source.csv" "limiters.py keeps the profiles"

rm -rf "$work/out"
out=$(run --build-only --only '/(same|refused|unbuilt)')
is $? 1 "run.py --build-only fails if sov refuses a program"
verdict same built "" "--build-only: built by both"
verdict refused refused "" "--build-only: refused by sov"
verdict unbuilt unbuilt "" "--build-only: not built by ptxas"
rm -rf "$work/out"
out=$(run --build-only --only '/(same|unbuilt)')
ok $? "run.py --build-only succeeds if sov builds what ptxas does"

# Two programs in one folder: the same command builds once.
printf 'suite\ta\tsame\techo x >>builds\t:\nsuite\tb\tsame\techo x >>builds\t:\n' >"$work/list"
rm -rf "$work/out"
out=$(run --build-only)
is "$(wc -l <"$work/out/build-ptxas/suite/same/builds")" 1 "programs of one folder and build command are built once"

# A build may use files beside the list.
printf 'suite\there\tsame\tgrep -q here {here}/list\t:\n' >"$work/list"
rm -rf "$work/out"
out=$(run --build-only)
verdict here built "" "{here} is the folder of the list"
tap_done
