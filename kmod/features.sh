#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Asks the kernel's headers what they have: each feature is a line of C after its name, and is defined
# when that line compiles. Version numbers would not do: interfaces change within a stable series.
#   usage: kmod/features.sh COMPILER FLAG...
cat <<'EOT'
/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Made by features.sh from the headers of the kernel that this is built for. */
EOT
while IFS='	' read -r name header line; do
	[ -n "$name" ] || continue
	if printf '#include <%s>\n%s\n' "$header" "$line" | "$@" -Wno-error -x c -c -o /dev/null - 2>/dev/null; then
		echo "#define $name 1"
	fi
done <<'EOT'
HAVE_DMA_FENCE_DETACHED	linux/dma-fence.h	spinlock_t *probe(struct dma_fence *f) { return &f->inline_lock; }
HAVE_GPUVM_MAP_REQ	drm/drm_gpuvm.h	struct drm_gpuvm_map_req probe;
EOT
