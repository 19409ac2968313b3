# SPDX-License-Identifier: MIT
# Completion of sov for fish: "sov complete" prints the candidates.
function __sov_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] complete $words[2..-1] "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c sov -f -a '(__sov_complete)'
