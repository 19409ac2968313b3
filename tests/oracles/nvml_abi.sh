# SPDX-License-Identifier: MIT
# Compares the sizes, offsets and values of libnvidia-ml.so.1 with those of NVIDIA's nvml.h, and the exported names with
# the calls that it declares. NVML_HEADER names it; else the toolkit's (CUDA_HOME) or the system's is taken.
. tests/oracles/_result.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for header in "$NVML_HEADER" "${CUDA_HOME:-/usr/local/cuda}/include/nvml.h" /usr/include/nvml.h \
	"${SOV_ORACLES:-$HOME/.cache/sov-oracles}/cuda12/usr/include/nvml.h"; do
	[ -e "$header" ] && break
done
if [ ! -e "$header" ]; then
	result 1 "there is an nvml.h (set NVML_HEADER)"
	echo "1..$results"
	exit 1
fi

# STRUCTURE MEMBER... per line; names are equal on both sides.
cat >"$work/structures" <<'END'
nvmlPciInfo_t busIdLegacy domain bus device pciDeviceId pciSubSystemId busId
nvmlMemory_t total free used
nvmlMemory_v2_t version total reserved free used
nvmlUtilization_t gpu memory
nvmlProcessInfo_v1_t pid usedGpuMemory
nvmlProcessInfo_v2_t pid usedGpuMemory gpuInstanceId computeInstanceId
nvmlFieldValue_t fieldId scopeId timestamp latencyUsec valueType nvmlReturn value
nvmlPciInfoExt_v1_t version domain bus device pciDeviceId pciSubSystemId baseClass subClass busId
nvmlUUID_v1_t version type value
nvmlTemperature_v1_t version sensorType temperature
END
layout() { # OWN or not
	if [ -n "$1" ]; then echo '#include "libsov/cuda/management/abi.h"'; else echo '#include <nvml.h>'; fi
	cat <<'END'
#include <stddef.h>
#include <stdio.h>
#define S(s) printf("%s %zu\n", #s, sizeof(s));
#define P(s, m) printf("%s.%s %zu\n", #s, #m, offsetof(s, m));
#define V(v) printf("%s %ld\n", #v, (long)v);
int main(void)
{
END
	while read -r name members; do
		grep -qw "$name" "$header" || continue
		echo "S($name)"
		for m in $members; do echo "P($name, $m)"; done
	done <"$work/structures"
	# Values that stand by name in both headers.
	{
		sed -n 's/^\tR(\([A-Z_0-9]*\),.*/NVML_\1/p' libsov/cuda/management/abi.h
		grep -oE '(NVML_(DEVICE_ARCH|BUS_TYPE|CLOCK|TOPOLOGY|TEMPERATURE|COMPUTEMODE|P2P_STATUS|UUID_TYPE|INIT_FLAG)_[A-Z0-9_]*)' \
			libsov/cuda/management/abi.h
	} | sort -u | while read -r value; do
		grep -qw "$value" "$header" && echo "V($value)"
	done
	printf 'return 0;\n}\n'
}
layout >"$work/theirs.c"
layout OWN >"$work/ours.c"
cc -I"$(dirname "$header")" "$work/theirs.c" -o "$work/theirs" && "$work/theirs" >"$work/theirs.out"
result $? "a program prints the layouts of $header"
cc -I. "$work/ours.c" -o "$work/ours" && "$work/ours" >"$work/ours.out"
result $? "a program prints the layouts of libsov/cuda/management"
diff "$work/theirs.out" "$work/ours.out" | sed 's/^/# /'
[ "$(wc -l <"$work/ours.out")" -gt 60 ] && cmp -s "$work/theirs.out" "$work/ours.out"
result $? "$(wc -l <"$work/ours.out") sizes, offsets and values are NVIDIA's"

grep -oE 'DECLDIR (nvml[A-Za-z0-9_]+) *\(' "$header" | tr -d ' (' | sed 's/DECLDIR//' | sort -u >"$work/theirs"
nm -D --defined-only "$BUILD/cuda/libnvidia-ml.so.1" | awk '{ print $3 }' | sort -u >"$work/ours"
missing=$(comm -23 "$work/theirs" "$work/ours" | paste -sd' ')
[ -z "$missing" ]
result $? "libnvidia-ml.so.1 exports each of its $(wc -l <"$work/theirs") calls${missing:+; missing: $missing}"

# A program compiled against that header runs on the library.
cat >"$work/program.c" <<'END'
#include <nvml.h>
#include <stdio.h>
int main(void)
{
	nvmlMemory_v2_t memory = {.version = nvmlMemory_v2};
	unsigned count = 0;
	nvmlDevice_t d;
	char name[96];

	if (nvmlInit() || nvmlDeviceGetCount(&count) || nvmlDeviceGetHandleByIndex(0, &d) ||
	    nvmlDeviceGetName(d, name, sizeof(name)) || nvmlDeviceGetMemoryInfo_v2(d, &memory))
		return 1;
	printf("%u %llu %s\n", count, memory.total >> 20, nvmlErrorString(nvmlShutdown()));
	return 0;
}
END
cc -I"$(dirname "$header")" "$work/program.c" -o "$work/program" -L"$BUILD/cuda" -lnvidia-ml \
	-Wl,-rpath,"$(realpath "$BUILD/cuda")" -Wl,-rpath-link,"$BUILD" &&
	[ "$(SOV_SOFT=gh100:vram=256M SOV_NVRM=0 SOV_KMOD=0 "$work/program")" = "1 256 Success" ]
result $? "a program compiled against the header runs on the library"
echo "1..$results"
