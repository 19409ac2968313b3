/* SPDX-License-Identifier: MIT */
/*
 * A file with the sections of the GSP's firmware, a 600th of its size: no firmware, for the modelled card runs none and
 * compares what arrives with what is in the file. Reading the real one is most of what a boot costs in an emulated machine:
 * Debian's kernels compute a SHA-256 of each file of firmware (CONFIG_FW_LOADER_DEBUG). The image does not end at a page's
 * end, and no two of its words are the same.
 */
	.section .fwimage, "a", %progbits
	.set n, 0
	.rept 25001
	.long n * 2654435761 & 0xffffffff
	.set n, n + 1
	.endr
	.section .fwsignature_gh100, "a", %progbits
	.fill 1024, 4, 0x5a17ed00
