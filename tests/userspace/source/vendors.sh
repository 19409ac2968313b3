# SPDX-License-Identifier: MIT
# Checks that common code is vendor-neutral: the runtime, the winsys interface, and the compiler's IR, passes and
# parsers. Vendor code lies in nv and amd folders, reached through the function tables of gpu.h, target.h and image.h. Common code
# and its strings name no vendor, chip, instruction set or image format, and assume no warp size; comments may cite
# vendors as sources.
. tests/tap.sh

words='nv|nvidia|nvrm|cuda|cubin|sass|ptxas|sm|qmd|hopper|ampere|ada|[ag]h?[01][0-9][0-9]'
words="$words|amd|amdgpu|gcn|gfx|rdna|navi|hsa|pm4|sdma|vgprs?|sgprs?|waitcnt|vmcnt|vcc"
lanes='(lanes?|warp(_?size)?)[a-z_]* *(=|==|\*|/|%) *(32|64)|(32|64)u? *[*/%] *[a-z_>.-]*(lane|warp)'
lanes="$lanes|#define +[a-z_]*(lane|warp)[a-z_]* +\\(?(32|64)"

# Exceptions: FILE TEXT-OF-THE-LINE, then a tab and the reason.
allowed() {
	cat <<-'END'
	libsov/runtime/base/log.c "cuda"		an area of SOV_LOG for libsov/cuda
	libsov/runtime/base/log.c launch call cuda	the same
	libsov/runtime/base/log.h LOG_CUDA	the same
	libsov/gpu/gpu.c nv_gpu			the list of GPU vendors
	libsov/gpu/gpu.c amd_gpu			the same
	libsov/winsys/winsys.h WINSYS_VENDOR_NV	the same: the tag of vendor data
	libsov/winsys/winsys.h winsys_nv_info	the tagged vendor data
	libsov/winsys/winsys.h winsys/nv_info.h	the same
	libsov/winsys/winsys.h winsys_amd_info	the same
	libsov/winsys/winsys.h winsys/amd_info.h	the same
	libsov/winsys/winsys.h winsys_nvrm		the list of back ends, one of which is a vendor's kernel module
	libsov/winsys/winsys.c winsys_nvrm		the same
	libsov/compiler/spirv/module.c "SPV_AMD_	the names that modules give extensions' sets of instructions
	libsov/compiler/spirv/trinary_and_lanes.c "SPV_AMD_	the same
	libsov/compiler/driver/target.c .name = "	the list of targets
	libsov/compiler/driver/target.c .family = "	the same
	libsov/compiler/driver/target.c _backend	the same
	libsov/compiler/driver/target.c compiler/amd/amd.h	the same
	libsov/compiler/driver/target.c compiler/nv/nv.h	the same
	libsov/compiler/driver/target.c isa/nv/sass.h	the same
	libsov/compiler/driver/target.c NV_TARGET	the same
	libsov/compiler/driver/target.c .family = "	the same
	libsov/compiler/driver/target.c = NV_	the same, with the constants of hw/chips.h
	libsov/compiler/driver/target.c = AMD_	the same
	libsov/compiler/driver/target.c .version = sm_	the same
	libsov/compiler/ptx/parser.c sm_		PTX's directive .target names NVIDIA's chips
	libsov/compiler/ptx/parser.c family, "nv")	PTX's limits apply to NVIDIA's chips
	libsov/compiler/ptx/lower_memory.c needs sm_90	the same
	libsov/compiler/ptx/lower_memory.c family, "nv")	the same
	libsov/compiler/ptx/lower_cluster.c needs sm_90	the same
	libsov/compiler/ptx/target_rules.c family, "nv")	the same
	libsov/compiler/ptx/lower_wgmma.c family, "nv")	the same
	libsov/compiler/ptx/lower_wgmma.c sm_90a	the same
	libsov/compiler/ptx/lower_tensor.c sm_90a	the same
	libsov/compiler/ptx/target_rules.c sm_		the same
	libsov/compiler/image/image.c &image_cubin	the list of image formats
	libsov/compiler/image/image.h image_cubin	the same
	libsov/compiler/image/image.h amd		an image includes the vendor's kernel descriptor
	libsov/compiler/image/image.h AMD_HIDDEN_COUNT	the same
	libsov/compiler/image/image.h uint32_t sm	the architecture of a cubin, for NVIDIA's back end
	libsov/compiler/ptx/parser.c sm_		PTX names NVIDIA's architectures in .target
	libsov/compiler/ptx/parser.c "nv"		.target and .maxntid bind NVIDIA's targets alone
	libsov/compiler/ptx/lower_memory.c "nv"	the PTX manual ties 128-bit atomics to an architecture
	libsov/compiler/ptx/lower_memory.c sm_90	the same
	libsov/compiler/ptx/instruction_table.c "sm_100	the PTX manual ties forms to the first architecture that has them
	libsov/compiler/ptx/instruction_table.c needs sm_100	the same
	libsov/compiler/ptx/instruction_table.c of sm_90	the same
	libsov/compiler/library/texture_functions_ptx.c .target sm_70	PTX's directive .target
	libsov/compiler/library/f64_functions_ptx.c .target sm_70	the same
	libsov/compiler/library/opencl_functions_ptx.c .target sm_70	the same
	libsov/runtime/context/device.c &winsys_nvrm		the list of winsys back ends, one of which drives a vendor's kernel module
	libsov/sov.h "sm_			an example in the interface
	libsov/runtime/module/module_load.c take PTX or a cubin	the image formats that users load
	END
}

# Prints the code of files without comments, as FILE:LINE:CODE.
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
			before = substr(line, rest - 1, 1) # a colon or quote: "//" is part of a URL or string
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

files=$(find libsov/sov.h libsov/runtime libsov/gpu/gpu.[ch] libsov/winsys/winsys.[ch] libsov/compiler -name "*.[ch]" | grep -vE "^libsov/compiler/(nv|amd)/|/image/(cubin|code_object|metadata|amd_abi|image_nv|image_amd)" | sort)
[ "$(echo "$files" | wc -l)" -gt 90 ]
ok $? "the check for vendor names covers more than 90 files of common code"
# Words end at characters other than letters and digits: nv_gpu contains nv, convert does not.
lines=$(code $files) # print with printf: echo expands the escapes of C strings
found=$(printf '%s\n' "$lines" | grep -iE "(^|[^a-z0-9])($words)[0-9]*([^a-z0-9]|$)" |
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
ok $? "common code names no vendor, chip, instruction set or image format"
[ -z "$found" ] || diag "$found"
# Exceptions: the list of targets, and the interpreter's limit INTERP_MAX_LANES, which is the width of its masks.
found=$(printf '%s\n' "$lines" | grep -iE "$lanes" |
	grep -vE '^libsov/compiler/(driver/target\.c|interp/interp\.h:[0-9]+:#define INTERP_MAX_LANES)')
[ -z "$found" ]
ok $? "common code assumes no warp size"
[ -z "$found" ] || diag "$found"
tap_done
