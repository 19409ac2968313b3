/* SPDX-License-Identifier: MIT */
/*
 * A stand-in with the sections of the GSP firmware file and a 600th of its size. The modelled card
 * executes no firmware; it compares what arrives with the file. Reading the real file dominates the
 * boot time of an emulated machine, because Debian's kernels compute a SHA-256 of each firmware
 * file (CONFIG_FW_LOADER_DEBUG). The image does not end at a page boundary, and all its words
 * differ.
 */
	.section .fwimage, "a", %progbits
	.set n, 0
	.rept 25001
	.long n * 2654435761 & 0xffffffff
	.set n, n + 1
	.endr
	.section .fwsignature_gh100, "a", %progbits
	.fill 1024, 4, 0x5a17ed00
	.section .fwsignature_ga10x, "a", %progbits
	.fill 1024, 4, 0x5a17ed0a
