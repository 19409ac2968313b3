/* SPDX-License-Identifier: MIT */
/*
 * Registers in BAR 0 that a driver needs from probe to a running GSP, as byte offsets, with their
 * fields. Plain numbers only, so that both kernel and user space can include this header.
 *
 * Sources, by block: open-gpu-kernel-modules (OGKM) 570.144, src/common/inc/swref/published; Linux
 * 7.2 drivers/gpu/nova-core/regs.rs and drivers/gpu/drm/nouveau.
 */
#ifndef HW_NV_REGISTERS_H
#define HW_NV_REGISTERS_H

#include "hw/chips.h"

/* PMC: chip identity. OGKM nv_ref.h. BOOT_42 exists since Fermi and has architecture and chip. */
#define NV_PMC_BOOT_0                  0x000000
#define NV_PMC_BOOT_1                  0x000004
#define NV_PMC_BOOT_1_VGPU(v)          ((v) >> 16 & 3) /* not 0: a virtual GPU */
#define NV_PMC_BOOT_42                 0x000a00
#define NV_PMC_BOOT_42_ARCHITECTURE(v) ((v) >> 24 & 0x3f)
#define NV_PMC_BOOT_42_CHIP(v)         ((v) >> 20 & 0x3ff) /* architecture and implementation */
#define NV_PMC_BOOT_42_MAJOR(v)        ((v) >> 16 & 15)
#define NV_PMC_BOOT_42_MINOR(v)        ((v) >> 12 & 15)

/* Straps that identify the board; drivers only record them. */
#define NV_PEXTDEV_BOOT_0              0x101000

/* PTIMER: nanoseconds; the low word counts in steps of 32. nouveau nvkm/subdev/timer/nv40.c. */
#define NV_PTIMER_INTR_EN_0            0x009140
#define NV_PTIMER_TIME_0               0x009400
#define NV_PTIMER_TIME_1               0x009410

/* Boot status of the FSP, the processor that boots first. OGKM hopper/gh100/dev_therm.h. */
#define NV_THERM_I2CS_SCRATCH          0x0200bc
#define NV_THERM_FSP_BOOT_COMPLETE     0xff

/* Turing to Ada: progress of the boot firmware (GFW), which ends at 0xff; it can be read when bit 0
 * of the other is set. nova-core regs.rs, NV_PGC6_AON_SECURE_SCRATCH_GROUP_05. */
#define NV_PGC6_GFW_PRIV_MASK          0x118128
#define NV_PGC6_GFW_BOOT               0x118234
#define NV_PGC6_GFW_BOOT_COMPLETE      0xff

/* PBUS: errors of FWSEC after its commands FRTS (31:16) and SB (15:0). nouveau gsp/fwsec.c. */
#define NV_PBUS_SW_SCRATCH_FRTS        0x001438
#define NV_PBUS_SW_SCRATCH_SB          0x001454

/* Turing to Ada, in the mirror of the configuration space: bit 0 hides the ROM; a write of 0 lets
 * the device send its next MSI. nouveau nvkm/subdev/pci/{nv40,gp100}.c. */
#define NV_PCI_MIRROR_ROM_SHADOW       0x088050
#define NV_PCI_MIRROR_MSI_REARM        0x088704

/* Turing to Ada: VGA registers, a byte each. nouveau nvkm/engine/disp/vga.c. */
#define NV_VGA_CRTC_INDEX              0x6013d4
#define NV_VGA_CRTC_DATA               0x6013d5

/* GA100 to Ada: bit 0 is set if the chip has no display. nouveau nvkm/subdev/bios/shadowramin.c. */
#define NV_FUSE_DISPLAY                0x820c04

/* Turing to Ada: address >> 16 of PRAMIN. nouveau nvkm/subdev/instmem/nv50.c. */
#define NV_PBUS_BAR0_WINDOW            0x001700

/* Bit 1 clears when earlier writes have reached VRAM. nouveau nvkm/subdev/bar/g84.c. */
#define NV_UFLUSH_FB_FLUSH             0x070000
#define NV_UFLUSH_FB_FLUSH_OUTSTANDING (1u << 1)

/* PFB: address >> 8 of the page that the GPU reads to flush writes. OGKM hopper/gh100/dev_fb.h. */
#define NV_PFB_FLUSH_SYSMEM_ADDR_LO    0x100a34
#define NV_PFB_FLUSH_SYSMEM_ADDR_HI    0x100a38
/* The same on GA100 to Ada; the high word has address >> 40. nova-core fb/hal/ga100.rs. */
#define NV_PFB_NISO_FLUSH_ADDR         0x100c10
#define NV_PFB_NISO_FLUSH_ADDR_HI      0x100c40
/* Upper end of write-protected region 2, 31:4 << 12; 0: no region. OGKM turing dev_fb.h. */
#define NV_PFB_WPR2_ADDR_LO            0x1fa824
#define NV_PFB_WPR2_ADDR_HI            0x1fa828

/* GSP: a falcon with a RISC-V core. OGKM ampere/ga102/dev_falcon_v4.h, dev_riscv_pri.h. */
#define NV_PGSP_IRQSCLR                0x110004
#define NV_PGSP_IRQSTAT                0x110008
#define NV_PGSP_IRQ_HALT               (1u << 4) /* its core has halted. OGKM dev_falcon_v4.h */
#define NV_PGSP_IRQ_SWGEN0             (1u << 6) /* a message is in the status queue */
#define NV_PGSP_MAILBOX0               0x110040
#define NV_PGSP_MAILBOX1               0x110044
#define NV_PGSP_OS                     0x110080 /* version of the boot loader's application */
#define NV_PGSP_HWCFG2                 0x1100f4
#define NV_PGSP_HWCFG2_LOCKDOWN        (1u << 13) /* the host may not access registers yet */
#define NV_PGSP_IRQ_RETRIGGER          0x1103e8 /* 1: raise pending interrupts again. nouveau */
#define NV_PGSP_QUEUE_HEAD             0x110c00 /* a write notifies the GSP of a new command */
#define NV_PGSP_RISCV_CPUCTL           0x111388
#define NV_PGSP_RISCV_IRQMASK          0x111528 /* interrupts that are routed to the host */
#define NV_PGSP_RISCV_CPUCTL_HALTED    (1u << 4)
#define NV_PGSP_RISCV_CPUCTL_ACTIVE    (1u << 7)
/* Value of the GSP's registers during the lockdown; the low byte varies. */
#define NV_PRIV_LOCKED(v)              (((v) & 0xffffff00) == 0xbadf4100)
/* Mailbox 0 after the firmware has unloaded itself. */
#define NV_PGSP_MAILBOX0_UNLOADED      0x80000000

/* Size of video memory in MiB. OGKM ampere/ga102/dev_gc6_island_addendum.h, SECURE_SCRATCH_42. */
#define NV_USABLE_FB_SIZE_MB           0x1183a4

/* FSP: a message queue in each direction, and EMEM. OGKM hopper/gh100/dev_fsp_pri.h. */
#define NV_PFSP_EMEMC                  0x8f2ac0
#define NV_PFSP_EMEMC_OFFSET(v)        ((v) & 0xfffc)
#define NV_PFSP_EMEMC_WRITE_INC        (1u << 24) /* auto-increment the offset on write */
#define NV_PFSP_EMEMC_READ_INC         (1u << 25)
#define NV_PFSP_EMEMD                  0x8f2ac4
#define NV_PFSP_QUEUE_HEAD             0x8f2c00
#define NV_PFSP_QUEUE_TAIL             0x8f2c04 /* offset of the last word written */
#define NV_PFSP_MSGQ_HEAD              0x8f2c80
#define NV_PFSP_MSGQ_TAIL              0x8f2c84

/* Registers of the PCI function (virtual function block): OGKM hopper/gh100/dev_vm.h. */
/* TLB invalidation: write the root's address >> 8, then the trigger, which clears itself when done.
 * nouveau nvkm/subdev/mmu/vmmtu102.c. */
#define NV_VF_MMU_INVALIDATE_PDB_LO    0xb830a0
#define NV_VF_MMU_INVALIDATE_PDB_HI    0xb830a4
#define NV_VF_MMU_INVALIDATE           0xb830b0
#define NV_VF_MMU_INVALIDATE_TRIGGER   (1u << 31)
#define NV_VF_MMU_INVALIDATE_ALL_VA    (1u << 0)
#define NV_VF_MMU_INVALIDATE_ALL_ROOTS (1u << 1)
#define NV_VF_MMU_INVALIDATE_HUB       (1u << 2) /* hub clients only: BARs and copy engines */

/*
 * Interrupts. A vector is a bit of leaf register vector / 32; two leaves form a subtree, and the
 * top register has a bit for each subtree. Writing ones to a leaf acknowledges. OGKM
 * turing/tu102/dev_vm.h; Hopper has 16 leaves, hopper/gh100/dev_vm.h. The device sends an MSI when
 * an enabled subtree becomes pending; enabling the subtree again rearms it: nouveau
 * nvkm/subdev/vfn/tu102.c, pci/gh100.c.
 */
#define NV_VF_INTR_LEAF(i)             (0xb81000 + 4 * (i))
#define NV_VF_INTR_LEAF_ENABLE(i)      (0xb81200 + 4 * (i))
#define NV_VF_INTR_LEAF_DISABLE(i)     (0xb81400 + 4 * (i))
#define NV_VF_INTR_TOP                 0xb81600
#define NV_VF_INTR_TOP_ENABLE          0xb81608
#define NV_VF_INTR_TOP_DISABLE         0xb81610
#define NV_VF_INTR_LEAVES_GH100        16
#define NV_VF_INTR_LEAVES_TU102        8 /* Turing to Ada. nouveau nvkm/subdev/vfn/tu102.c */
#define NV_VF_INTR_BYTES               0x620 /* from the first leaf through the top registers */

/* A 1 MiB window to VRAM in BAR 0, and its address >> 16. OGKM hopper/gh100/pri_nv_xal_ep.h. */
#define NV_PRAMIN                      0x700000
#define NV_PRAMIN_BYTES                0x100000
#define NV_XAL_EP_BAR0_WINDOW          0x10fd40

/* Registers for user space: timer and doorbell, which takes runlist << 16 | channel. */
#define NV_VF_USER                     0xbb0000
#define NV_VF_USER_BYTES               0x10000
#define NV_VF_USER_TIME_LOW            0x80 /* offset in the page: nanoseconds */
#define NV_VF_USER_TIME_HIGH           0x84
#define NV_VF_DOORBELL                 0xbb0090
#define NV_DOORBELL(runlist, channel)  ((uint32_t)(runlist) << 16 | (channel))

/* BAR1 maps VRAM directly in physical mode, which is also the reset state. The write of the high
 * word, which comes last, starts the change; it has ended when both bits are clear. OGKM
 * hopper/gh100/dev_vm.h, kern_bus_gh100.c. */
#define NV_VF_BAR1_BLOCK               0xb80f60
#define NV_VF_BAR1_BLOCK_PENDING       (1u << 0)
#define NV_VF_BAR1_BLOCK_OUTSTANDING   (1u << 1)
#define NV_VF_BAR1_BLOCK_VIRTUAL       (1u << 9)
#define NV_VF_BAR1_BLOCK_HIGH          0xb80f64

#endif
