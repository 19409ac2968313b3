# SPDX-License-Identifier: MIT
# For oracle scripts, after _result.sh: builds the program that asks LLVM for register uses.

build_llvm_uses() { # output
	if ! command -v llvm-config-19 >/dev/null ||
		[ ! -e "$(llvm-config-19 --includedir)/llvm/MC/MCInst.h" ]; then
		result 1 "LLVM 19's headers are installed (apt-get install llvm-19-dev)"
		echo "1..$results"
		exit 1
	fi
	# shellcheck disable=SC2046 # flags
	"${CXX:-c++}" $(llvm-config-19 --cxxflags) tests/oracles/amd_uses_llvm.cc -o "$1" \
		$(llvm-config-19 --ldflags) -lLLVM-19
	result $? "the program that asks LLVM for register uses builds"
}
