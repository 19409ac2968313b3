#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the registers that amd_uses() says an instruction reads and writes with LLVM's view of the
# same words (amd_uses_llvm.cc), for random instructions of every row and form, implicit registers
# (EXEC, VCC, SCC, M0) included. Fails, never skips, without LLVM 19 and its headers.
#   PER_FORM  random instructions per form of a row (40)
#   SEED      (1)
set -u
: "${BUILD:=build}" "${PER_FORM:=40}" "${SEED:=1}"
judges=$BUILD/oracles
work=$judges/amd-uses
. tests/oracles/_result.sh
. tests/oracles/_llvm_uses.sh

rm -rf "$work"
mkdir -p "$work"
build_llvm_uses "$work/llvm"
"$judges/amd_uses" "$PER_FORM" "$SEED" "$work/bytes" && "$work/llvm" <"$work/bytes" >"$work/theirs"
result $? "LLVM describes random instructions of every row and form"
"$judges/amd_uses" --compare "$work/bytes" "$work/theirs" >"$work/differences"
result $? "amd_uses() names the registers that LLVM names"
sed '$d' "$work/differences" | head -40 | sed 's/^/# /'
sed -n '$s/^/# count gfx1030: /p' "$work/differences"
echo "1..$results"
exit $failed
