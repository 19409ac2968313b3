# SPDX-License-Identifier: MIT
# Shell completion: what "sov complete" offers, and that bash, zsh and fish pass it on.
. tests/tap.sh
export SOV_NVRM=0 SOV_KMOD=0 SOV_SOFT=gh100,navi21 # software GPUs only
sov=$BUILD/sov
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
words() { # WORD... : the candidates in one line
	"$sov" complete "$@" | cut -f1 | tr '\n' ' '
}

verbs=$("$sov" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z-]*\) .*/\1/p' | tr '\n' ' ')
[ "$(echo "$verbs" | wc -w)" -gt 10 ]
ok $? "the help lists the verbs"
is "$(words "")" "${verbs}help " "an empty word is completed to each verb of the help"
is "$(words de)" "devices " "a beginning is completed to the verbs that begin so"
is "$(words --v)" "--version " "options of sov itself are completed"
is "$(words help t)" "top trace " "help is followed by a verb"
for verb in $verbs; do
	[ "$verb" != ptxas ] || continue
	help=$("$sov" "$verb" --help | sed -n 's/^  .\{4\}\(--[a-z-]*\).*/\1/p' | tr '\n' ' ')
	is "$(words "$verb" --)" "$help" "sov $verb -- is completed to the options of its help"
done
is "$(words run --device "")" "gh100.0 navi21.0 " "--device is followed by the names of devices"
is "$(words run -d nav)" "navi21.0 " "so is -d"
has "$(words compile --target sm_9)" "sm_90 " "--target is followed by targets"
is "$(words compile -o "")" ":files " "an output is a file"
is "$(words info "")" "gh100.0 navi21.0 :files " "the operand of info is a device or a file"
is "$(words run --grid "")" "" "a number is not completed"
is "$(words fly "")" "" "nothing follows an unknown verb"
is "$("$sov" complete 2>&1 | head -n 1)" "sov: complete: missing operand: WORD" "a word is needed"
has "$("$sov" complete run --ti)" "--time	print the kernel's run time" "candidates have descriptions"

bin=$(cd "$BUILD" && pwd)
in_bash() { # WORD... : what bash offers for the last word
	PATH=$bin:$PATH bash --norc -c '. tools/completion/sov.bash
		COMP_WORDS=(sov "$@") COMP_CWORD=$#; _sov; printf "%s " "${COMPREPLY[@]}"' bash "$@"
}
if command -v bash >/dev/null; then
	is "$(in_bash dev)" "devices " "bash completes a verb"
	is "$(in_bash run --ti)" "--time " "bash completes an option"
	is "$(in_bash compile tests/kernels/saxpy.p)" "tests/kernels/saxpy.ptx " "bash completes a file"
else
	skip "bash completes" "bash is not installed"
fi
if command -v zsh >/dev/null; then
	out=$(PATH=$bin:$PATH zsh -fc '
		_describe() { local name=$2; print -l -- "${(P@)name}"; }
		_files() { print files; }
		words=(sov "$@"); CURRENT=$#words
		source tools/completion/_sov' zsh run --ti 2>&1)
	has "$out" "--time:print the kernel's run time" "zsh completes an option and describes it"
	out=$(PATH=$bin:$PATH zsh -fc '
		_describe() { local name=$2; print -l -- "${(P@)name}"; }
		_files() { print files; }
		words=(sov "$@"); CURRENT=$#words
		source tools/completion/_sov' zsh info "" 2>&1)
	has "$out" "navi21.0:" "zsh completes a device"
	has "$out" "files" "zsh completes files, too"
else
	skip "zsh completes" "zsh is not installed; run make deps"
fi
if command -v fish >/dev/null; then
	out=$(HOME=$work PATH=$bin:$PATH fish --no-config -c 'source tools/completion/sov.fish; complete -C "sov run --ti"' 2>&1)
	has "$out" "--time" "fish completes an option"
	out=$(HOME=$work PATH=$bin:$PATH fish --no-config -c 'source tools/completion/sov.fish; complete -C "sov compile tests/kernels/saxpy.p"' 2>&1)
	has "$out" "saxpy.ptx" "fish completes a file"
else
	skip "fish completes" "fish is not installed; run make deps"
fi
tap_done
