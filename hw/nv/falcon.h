/* SPDX-License-Identifier: MIT */
/*
 * Falcons, the processors in the GPU's units, as the driver of GA102 to AD10x sees them: two blocks
 * of registers, of which the second belongs to the boot ROM and the RISC-V core. Offsets are from
 * the falcon's base.
 *
 * Sources: open-gpu-kernel-modules 570.144, src/common/inc/swref/published/ampere/ga102/
 * dev_{falcon_v4,falcon_second_pri,riscv_pri,gsp,sec_pri,fuse}.h; Linux 7.2
 * drivers/gpu/nova-core/{regs,falcon}.rs and falcon/hal/ga102.rs; nouveau
 * nvkm/falcon/{ga102,gm200}.c.
 */
#ifndef HW_NV_FALCON_H
#define HW_NV_FALCON_H

#define NV_FALCON_GSP   0x110000
#define NV_FALCON_SEC2  0x840000
#define NV_FALCON_BYTES 0x2000 /* both blocks */

#define NV_FALCON_IRQSCLR              0x004
#define NV_FALCON_IRQSTAT              0x008
#define NV_FALCON_IRQMCLR              0x014
#define NV_FALCON_MAILBOX0             0x040
#define NV_FALCON_MAILBOX1             0x044
#define NV_FALCON_ITFEN                0x048
#define NV_FALCON_OS                   0x080
#define NV_FALCON_RM                   0x084 /* BOOT_0, for programs */
#define NV_FALCON_HWCFG2               0x0f4
#define NV_FALCON_HWCFG2_SCRUBBING     (1u << 12) /* memories are being cleared after a reset */
#define NV_FALCON_HWCFG2_RESET_READY   (1u << 31)
#define NV_FALCON_CPUCTL               0x100
#define NV_FALCON_CPUCTL_START         (1u << 1)
#define NV_FALCON_CPUCTL_HALTED        (1u << 4)
#define NV_FALCON_CPUCTL_ALIAS_ENABLE  (1u << 6) /* start by the alias register */
#define NV_FALCON_BOOTVEC              0x104
#define NV_FALCON_HWCFG                0x108
#define NV_FALCON_HWCFG_IMEM_BLOCKS(v) ((v) & 0x1ff)
#define NV_FALCON_HWCFG_DMEM_BLOCKS(v) ((v) >> 9 & 0x1ff)
#define NV_FALCON_DMACTL               0x10c
#define NV_FALCON_HWCFG1               0x12c
#define NV_FALCON_CPUCTL_ALIAS         0x130
#define NV_FALCON_ENGINE               0x3c0 /* bit 0: reset */
#define NV_FALCON_ENGINE_RESET         1u

/* DMA from memory to IMEM or DMEM, a block at a time. */
#define NV_FALCON_BLOCK_BYTES         256
#define NV_FALCON_DMA_BITS            49
#define NV_FALCON_DMATRFBASE          0x110 /* source >> 8 */
#define NV_FALCON_DMATRFMOFFS         0x114 /* address in the falcon's memory */
#define NV_FALCON_DMATRFCMD           0x118
#define NV_FALCON_DMATRFCMD_IDLE      (1u << 1)
#define NV_FALCON_DMATRFCMD_SECURE    (1u << 2)
#define NV_FALCON_DMATRFCMD_IMEM      (1u << 4)
#define NV_FALCON_DMATRFCMD_256       (6u << 8)
#define NV_FALCON_DMATRFFBOFFS        0x11c /* offset from the base; IMEM: its virtual address */
#define NV_FALCON_DMATRFBASE1         0x128 /* source >> 40 */
#define NV_FALCON_TRANSCFG            0x600
#define NV_FALCON_TRANSCFG_TARGET     3u
#define NV_FALCON_TRANSCFG_COHERENT   1u
#define NV_FALCON_TRANSCFG_PHYSICAL   (1u << 2)
#define NV_FALCON_FBIF_CTL            0x624
#define NV_FALCON_FBIF_CTL_NO_CONTEXT (1u << 7) /* physical DMA needs no context */

/* Parameters of the boot ROM, which authenticates what was loaded as secure. */
#define NV_FALCON_MOD_SEL        0x1180
#define NV_FALCON_MOD_SEL_RSA3K  1u
#define NV_FALCON_BROM_UCODE_ID  0x1198
#define NV_FALCON_BROM_ENGIDMASK 0x119c
#define NV_FALCON_BROM_PARAADDR  0x1210 /* where the signature is in DMEM */

/* Selection of the core. */
#define NV_FALCON_BCR_CTRL       0x1668
#define NV_FALCON_BCR_CTRL_VALID (1u << 0)
#define NV_FALCON_BCR_CTRL_RISCV (1u << 4)
#define NV_FALCON_BCR_CTRL_FETCH (1u << 8)

/* Mask of a program's engines for the boot ROM, and the fuses with the versions of up to 16
 * programs of each engine. A fuse's version is the number of its highest bit that is set, from 1.
 */
#define NV_FALCON_ENGINE_SEC2         0x0001u
#define NV_FALCON_ENGINE_GSP          0x0400u
#define NV_FUSE_PROGRAMS              16
#define NV_FUSE_SEC2_VERSION(program) (0x824140 + 4 * ((program) - 1))
#define NV_FUSE_GSP_VERSION(program)  (0x8241c0 + 4 * ((program) - 1))

#endif
