# SPDX-License-Identifier: MIT
# scenario
# kernels: trixie-backports
# results: 13
# card: ga102 --trap --vram 2048
# modules: nouveau
# firmware: small
# Cross-check of the modelled GA102 with another driver: Debian's unmodified nouveau reads the VBIOS, runs FWSEC and
# booter, whose files the card's boot ROM compares, boots the GSP and unloads it, twice. It creates no channels here.
. /test/common.sh

card=$(cards)
for time in first second; do
	dmesg -c | sed 's/^/guest: dmesg: /' # clear the log
	modprobe nouveau noaccel=1
	ok $? "nouveau loads without acceleration, the $time time"
	is "$(bound "$card")" nouveau "nouveau binds to the card, the $time time"
	says "gsp: RM version: 570.144" && says "drm: VRAM: 2048 MiB"
	ok $? "nouveau boots the GSP and sizes video memory, the $time time"
	modprobe -r nouveau
	ok $? "nouveau unloads, the $time time"
done
tap_done
