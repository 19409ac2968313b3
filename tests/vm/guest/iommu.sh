# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# results: 984
# iommu: on
# modules: sovgpu virtio_iommu
# The card is behind an IOMMU: it reaches only memory that the driver has mapped for DMA.
. /test/common.sh
card=$(cards)
modprobe virtio_iommu 2>/dev/null # fails if it is built in
modprobe sovgpu
is "$(bound "$card")" sovgpu "sovgpu.ko binds to the card"
has "$(cat "$card/iommu_group/type")" DMA "the card is behind a translating IOMMU"
programs
modprobe -r sovgpu
ok $? "sovgpu.ko unloads"
tap_done
