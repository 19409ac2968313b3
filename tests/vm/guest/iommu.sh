# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# iommu: on
# modules: sovgpu virtio_iommu
# An IOMMU is between the card and memory: what the driver did not map for DMA the card does not reach.
. /test/common.sh
card=$(cards)
modprobe virtio_iommu 2>/dev/null # unless it is built in
modprobe sovgpu
is "$(bound "$card")" sovgpu "sovgpu.ko binds to the card"
has "$(cat "$card/iommu_group/type")" DMA "which is behind an IOMMU that translates"
programs
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
