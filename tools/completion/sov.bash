# SPDX-License-Identifier: MIT
# Completion of sov for bash: "sov complete" prints the candidates.
_sov() {
	local current=${COMP_WORDS[COMP_CWORD]} word description
	COMPREPLY=()
	while IFS=$'\t' read -r word description; do
		if [ "$word" = :files ]; then
			compopt -o filenames 2>/dev/null
			while read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
		else
			COMPREPLY+=("$word")
		fi
	done < <("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _sov sov
