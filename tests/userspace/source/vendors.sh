# SPDX-License-Identifier: MIT
# Common code knows no vendor: the runtime (libsov/*.c), and the compiler's IR, passes and readers
# (libsov/compiler/*.c). What is a vendor's lies in nv and amd folders, behind the tables of gpu.h, target.h and
# image.h. Comments may say where a fact comes from; code and the text in it may not name a vendor, a chip, its
# instructions or its files, nor how many lanes a warp has.
. tests/tap.sh

words='nv|nvidia|nvrm|cuda|cubin|sass|ptxas|sm|qmd|hopper|ampere|ada|[ag]h?[01][0-9][0-9]'
words="$words|amd|amdgpu|gcn|gfx|rdna|navi|hsa|pm4|sdma|vgprs?|sgprs?|waitcnt|vmcnt|vcc"
lanes='(lanes?|warp(_?size)?)[a-z_]* *(=|==|\*|/|%) *(32|64)|(32|64)u? *[*/%] *[a-z_>.-]*(lane|warp)'

# Lines where it has to be so, and why: FILE WHAT-THE-LINE-HAS.
allowed() {
	cat <<-'END'
	libsov/gpu/gpu.c nv_gpu			the list of makes of GPUs
	libsov/gpu/gpu.c amd_gpu			the same
	libsov/gpu/gpu.c "sm_"			whose targets begin so
	libsov/gpu/gpu.c "gfx"			the same
	libsov/compiler/driver/target.c .name = "	the list of targets
	libsov/compiler/driver/target.c _backend	the same
	libsov/compiler/driver/target.c compiler/amd/amd.h	the same
	libsov/compiler/driver/target.c compiler/nv/nv.h	the same
	libsov/compiler/image/image.c &image_cubin	the list of kinds of files
	libsov/compiler/image/image.h image_cubin	the same
	libsov/compiler/image/image.h amd		what a kernel's descriptor says is part of the image, either vendor's
	libsov/compiler/image/image.h AMD_HIDDEN_COUNT	the same
	libsov/compiler/image/image.h uint32_t sm	which of NVIDIA's code is in it: their back end asks
	libsov/runtime/device.c &winsys_nvrm		the list of ways to a GPU, one of which is a vendor's kernel module
	libsov/sov.h "sm_			an example in the interface
	libsov/runtime/module/module.c take PTX or a cubin	files that users have
	END
}

# Code without comments, as FILE:LINE:CODE.
code() {
	awk 'FNR == 1 { inside = 0 }
	{
		line = $0
		out = ""
		while (line != "") {
			if (inside) {
				end = index(line, "*/")
				if (!end)
					break
				line = substr(line, end + 2)
				inside = 0
				continue
			}
			start = index(line, "/*")
			rest = index(line, "//")
			before = substr(line, rest - 1, 1) # of "//", and of an address in the net
			if (rest && (!start || rest < start) && before != ":" && before != "\"") {
				out = out substr(line, 1, rest - 1)
				break
			}
			if (!start) {
				out = out line
				break
			}
			out = out substr(line, 1, start - 1) " "
			line = substr(line, start + 2)
			inside = 1
		}
		if (out ~ /[^ \t]/)
			print FILENAME ":" FNR ":" out
	}' "$@"
}

files=$(find libsov/sov.h libsov/runtime libsov/gpu/gpu.[ch] libsov/compiler -name "*.[ch]" | grep -vE "^libsov/compiler/(nv|amd)/|/image/(cubin|code_object|metadata|amd_abi)" | sort)
[ "$(echo "$files" | wc -l)" -gt 90 ]
ok $? "the list of files is not empty"
# A word is between letters of another kind: nv_gpu has nv, convert has not.
lines=$(code $files)
found=$(echo "$lines" | grep -iE "(^|[^a-z0-9])($words)[0-9]*([^a-z0-9]|$)" |
	while IFS= read -r line; do
		file=${line%%:*} why=
		while read -r where what; do
			what=${what%%	*}
			[ "$where" = "$file" ] && case $line in *"$what"*) why=yes ;; esac
		done <<-END
		$(allowed)
		END
		[ "$why" ] || echo "$line"
	done)
[ -z "$found" ]
ok $? "common code names no vendor, chip, instruction set or file of one"
[ -z "$found" ] || diag "$found"
found=$(echo "$lines" | grep -iE "$lanes" | grep -v '^libsov/compiler/driver/target\.c:') # the list of targets
[ -z "$found" ]
ok $? "common code does not know how many lanes a warp has"
[ -z "$found" ] || diag "$found"
tap_done
