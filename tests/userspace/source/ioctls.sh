# SPDX-License-Identifier: MIT
# Every ioctl of the kernel driver has kernel-doc on its structure and a row in docs/uapi.md.
. tests/tap.sh

header=uapi/sovgpu_drm.h
calls=$(sed -n 's/^#define DRM_IOCTL_SOVGPU_\([A-Z_]*\).*/\1/p' $header)
[ "$(echo "$calls" | wc -l)" -gt 10 ]
ok $? "the list of ioctls is not empty"
is "$(for call in $calls; do grep -qw "$call" docs/uapi.md || echo "$call"; done)" "" "every ioctl has its row in docs/uapi.md"
is "$(grep -oE '^struct drm_sovgpu_[a-z_]*' $header | while read -r _ name; do
	grep -q "^ \* struct $name - " $header || echo "$name"
done)" "" "every structure of the interface has kernel-doc"
tap_done
