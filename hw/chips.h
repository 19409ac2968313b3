/* SPDX-License-Identifier: MIT */
/*
 * The chips: one row per chip, read by the compiler, the software GPUs, the winsyses, the kernel
 * driver and `sov doctor`. Each of them expands the row into the columns it needs:
 *
 *   #define ROW(chip, CHIP, number, sm, sms, generation, pci_first, pci_last) ...
 *   SOV_NV_CHIPS(ROW)    all chips
 *   SOV_NV_GH100(ROW)    one chip
 *
 * Facts that all chips of one SM version or gfx target have in common are constants named after
 * it, so that a row reaches them by NV_SM##sm##_WARPS_PER_SM. The header includes nothing; kernel
 * and user space both use it. Class numbers are the constants of hw/nv/compute.h, copy.h, host.h
 * and rm.h: a user of those columns includes these headers.
 */
#ifndef HW_CHIPS_H
#define HW_CHIPS_H

/* PCI vendor ids: https://pci-ids.ucw.cz */
#define SOV_PCI_NVIDIA 0x10de
#define SOV_PCI_AMD    0x1002

/* ---- NVIDIA ---- */

/*
 * Columns and their sources:
 *   chip, CHIP   the name as firmware files spell it, and as documents do
 *   number       architecture and implementation in PMC_BOOT_42: open-gpu-kernel-modules,
 *                ctrl2080mc.h
 *   sm           SM version, ten times the compute capability: CUDA C++ programming guide
 *   sms          SMs of the full chip: NVIDIA's architecture white papers. Products have fewer.
 *   generation   NVIDIA's name of the architecture
 *   pci_first..  PCI device ids of GPUs with this chip: https://pci-ids.ucw.cz (August 2026).
 *   pci_last     NVIDIA gives each chip blocks of 128 ids; ids from 0x2280 to 0x22ff are audio
 *                functions and switches.
 * Of these chips only GH100 has been tested on hardware.
 */
#define SOV_NV_GV100(X) X(gv100, GV100, 0x140, 70,  84, "Volta",  0x1d80, 0x1dff)
#define SOV_NV_TU102(X) X(tu102, TU102, 0x162, 75,  72, "Turing", 0x1e00, 0x1e7f)
#define SOV_NV_TU104(X) X(tu104, TU104, 0x164, 75,  48, "Turing", 0x1e80, 0x1eff)
#define SOV_NV_TU106(X) X(tu106, TU106, 0x166, 75,  36, "Turing", 0x1f00, 0x1f7f)
#define SOV_NV_TU117(X) X(tu117, TU117, 0x167, 75,  16, "Turing", 0x1f80, 0x1fff)
#define SOV_NV_TU116(X) X(tu116, TU116, 0x168, 75,  24, "Turing", 0x2180, 0x21ff)
#define SOV_NV_GA100(X) X(ga100, GA100, 0x170, 80, 128, "Ampere", 0x2080, 0x20ff)
#define SOV_NV_GA102(X) X(ga102, GA102, 0x172, 86,  84, "Ampere", 0x2200, 0x227f)
#define SOV_NV_GA103(X) X(ga103, GA103, 0x173, 86,  60, "Ampere", 0x2400, 0x247f)
#define SOV_NV_GA104(X) X(ga104, GA104, 0x174, 86,  48, "Ampere", 0x2480, 0x24ff)
#define SOV_NV_GA106(X) X(ga106, GA106, 0x176, 86,  30, "Ampere", 0x2500, 0x257f)
#define SOV_NV_GA107(X) X(ga107, GA107, 0x177, 86,  20, "Ampere", 0x2580, 0x25ff)
#define SOV_NV_GH100(X) X(gh100, GH100, 0x180, 90, 144, "Hopper", 0x2300, 0x23ff)
#define SOV_NV_AD102(X) X(ad102, AD102, 0x192, 89, 144, "Ada",    0x2680, 0x26ff)
#define SOV_NV_AD103(X) X(ad103, AD103, 0x193, 89,  80, "Ada",    0x2700, 0x277f)
#define SOV_NV_AD104(X) X(ad104, AD104, 0x194, 89,  60, "Ada",    0x2780, 0x27ff)
#define SOV_NV_AD106(X) X(ad106, AD106, 0x196, 89,  36, "Ada",    0x2800, 0x287f)
#define SOV_NV_AD107(X) X(ad107, AD107, 0x197, 89,  24, "Ada",    0x2880, 0x28ff)

#define SOV_NV_CHIPS(X) \
	SOV_NV_GV100(X) \
	SOV_NV_TU102(X) SOV_NV_TU104(X) SOV_NV_TU106(X) SOV_NV_TU117(X) SOV_NV_TU116(X) \
	SOV_NV_GA100(X) SOV_NV_GA102(X) SOV_NV_GA103(X) SOV_NV_GA104(X) SOV_NV_GA106(X) \
	SOV_NV_GA107(X) SOV_NV_GH100(X) SOV_NV_AD102(X) SOV_NV_AD103(X) SOV_NV_AD104(X) \
	SOV_NV_AD106(X) SOV_NV_AD107(X)

/* NV_CHIP_GH100 and so on: the numbers, NV_PMC_BOOT_42_CHIP() of the register. */
#define SOV_NV_NUMBER(chip, CHIP, number, ...) NV_CHIP_##CHIP = number,
enum { SOV_NV_CHIPS(SOV_NV_NUMBER) };
#undef SOV_NV_NUMBER

/*
 * Facts of an SM version:
 *   SHARED_PER_SM, SHARED_PER_BLOCK (bytes), WARPS_PER_SM, BLOCKS_PER_SM, REGISTERS_PER_SM (of 32
 *                  bits): CUDA C++ programming guide, "Technical Specifications per Compute Capability"
 *   CLUSTERS        blocks can be in clusters
 *   TPCS_PER_GPC   the most that a GPC has: NVIDIA's white paper on the architecture
 *   RESERVES_SHARED launches reserve the start of shared memory (bank0.h: NV_SM90_RESERVED_SHARED)
 *   MOVES_REGISTERS warps of a block can give registers to others (USETMAXREG)
 *   CACHE_POLICIES accesses can have policies for L2: PTX ISA, .L2::cache_hint
 *   SMS_PER_TPC    NVIDIA's architecture white papers
 *   *_CLASS        open-gpu-kernel-modules, src/nvidia/generated/g_gpu_class_list.c
 */
#define SOV_NV_SM_VERSIONS(X) X(70) X(75) X(80) X(86) X(89) X(90)

#define NV_SM70_SHARED_PER_SM    (96 << 10)
#define NV_SM70_SHARED_PER_BLOCK (96 << 10)
#define NV_SM70_RESERVES_SHARED  0
#define NV_SM70_MOVES_REGISTERS  0
#define NV_SM70_CACHE_POLICIES   0
#define NV_SM70_CLUSTERS         0
#define NV_SM70_WARPS_PER_SM     64
#define NV_SM70_BLOCKS_PER_SM    32
#define NV_SM70_REGISTERS_PER_SM 65536
#define NV_SM70_SMS_PER_TPC      2
#define NV_SM70_USER_CLASS       RM_CLASS_VOLTA_USER
#define NV_SM70_CHANNEL_CLASS    NV_CLASS_VOLTA_CHANNEL
#define NV_SM70_COMPUTE_CLASS    NV_CLASS_VOLTA_COMPUTE
#define NV_SM70_COPY_CLASS       NV_CLASS_VOLTA_COPY

#define NV_SM75_SHARED_PER_SM    (64 << 10)
#define NV_SM75_SHARED_PER_BLOCK (64 << 10)
#define NV_SM75_RESERVES_SHARED  0
#define NV_SM75_MOVES_REGISTERS  0
#define NV_SM75_CACHE_POLICIES   0
#define NV_SM75_CLUSTERS         0
#define NV_SM75_WARPS_PER_SM     32
#define NV_SM75_BLOCKS_PER_SM    16
#define NV_SM75_REGISTERS_PER_SM 65536
#define NV_SM75_SMS_PER_TPC      2
#define NV_SM75_USER_CLASS       RM_CLASS_TURING_USER
#define NV_SM75_CHANNEL_CLASS    NV_CLASS_TURING_CHANNEL
#define NV_SM75_COMPUTE_CLASS    NV_CLASS_TURING_COMPUTE
#define NV_SM75_COPY_CLASS       NV_CLASS_TURING_COPY

#define NV_SM80_SHARED_PER_SM    (164 << 10)
#define NV_SM80_SHARED_PER_BLOCK (163 << 10)
#define NV_SM80_RESERVES_SHARED  0
#define NV_SM80_MOVES_REGISTERS  0
#define NV_SM80_CACHE_POLICIES   1
#define NV_SM80_CLUSTERS         0
#define NV_SM80_WARPS_PER_SM     64
#define NV_SM80_BLOCKS_PER_SM    32
#define NV_SM80_REGISTERS_PER_SM 65536
#define NV_SM80_SMS_PER_TPC      2
#define NV_SM80_USER_CLASS       RM_CLASS_AMPERE_USER
#define NV_SM80_CHANNEL_CLASS    NV_CLASS_AMPERE_CHANNEL
#define NV_SM80_COMPUTE_CLASS    NV_CLASS_AMPERE_COMPUTE
#define NV_SM80_COPY_CLASS       NV_CLASS_AMPERE_COPY

#define NV_SM86_SHARED_PER_SM    (100 << 10)
#define NV_SM86_SHARED_PER_BLOCK (99 << 10)
#define NV_SM86_RESERVES_SHARED  0
#define NV_SM86_MOVES_REGISTERS  0
#define NV_SM86_CACHE_POLICIES   1
#define NV_SM86_CLUSTERS         0
#define NV_SM86_WARPS_PER_SM     48
#define NV_SM86_BLOCKS_PER_SM    16
#define NV_SM86_REGISTERS_PER_SM 65536
#define NV_SM86_SMS_PER_TPC      2
#define NV_SM86_USER_CLASS       RM_CLASS_AMPERE_USER
#define NV_SM86_CHANNEL_CLASS    NV_CLASS_AMPERE_CHANNEL
#define NV_SM86_COMPUTE_CLASS    NV_CLASS_AMPERE_COMPUTE_B
#define NV_SM86_COPY_CLASS       NV_CLASS_AMPERE_COPY_B

#define NV_SM89_SHARED_PER_SM    (100 << 10)
#define NV_SM89_SHARED_PER_BLOCK (99 << 10)
#define NV_SM89_RESERVES_SHARED  0
#define NV_SM89_MOVES_REGISTERS  0
#define NV_SM89_CACHE_POLICIES   1
#define NV_SM89_CLUSTERS         0
#define NV_SM89_WARPS_PER_SM     48
#define NV_SM89_BLOCKS_PER_SM    24
#define NV_SM89_REGISTERS_PER_SM 65536
#define NV_SM89_SMS_PER_TPC      2
#define NV_SM89_USER_CLASS       RM_CLASS_AMPERE_USER
#define NV_SM89_CHANNEL_CLASS    NV_CLASS_AMPERE_CHANNEL
#define NV_SM89_COMPUTE_CLASS    NV_CLASS_ADA_COMPUTE
#define NV_SM89_COPY_CLASS       NV_CLASS_AMPERE_COPY_B

#define NV_SM90_SHARED_PER_SM    (228 << 10)
#define NV_SM90_SHARED_PER_BLOCK (227 << 10)
#define NV_SM90_RESERVES_SHARED  1
#define NV_SM90_MOVES_REGISTERS  1
#define NV_SM90_CACHE_POLICIES   1
#define NV_SM90_CLUSTERS         1
#define NV_SM90_TPCS_PER_GPC     9
#define NV_SM90_WARPS_PER_SM     64
#define NV_SM90_BLOCKS_PER_SM    32
#define NV_SM90_REGISTERS_PER_SM 65536
#define NV_SM90_SMS_PER_TPC      2
#define NV_SM90_USER_CLASS       RM_CLASS_HOPPER_USER
#define NV_SM90_CHANNEL_CLASS    NV_CLASS_HOPPER_CHANNEL
#define NV_SM90_COMPUTE_CLASS    NV_CLASS_HOPPER_COMPUTE
#define NV_SM90_COPY_CLASS       NV_CLASS_HOPPER_COPY

/* The same for every SM version: CUDA C++ programming guide, the table above, and the toolkit's
 * occupancy calculator. A partition has a scheduler and its share of the SM's registers, which a
 * warp gets in units. */
#define NV_SM_PARTITIONS         4
#define NV_REGISTER_UNIT         256
#define NV_WARP_LANES            32
#define NV_MAX_THREADS_PER_BLOCK 1024

/* ---- AMD ---- */

/*
 * Columns and their sources:
 *   chip, title  the name as Linux' drivers spell it, and as documents do
 *   gfx          the target's number, LLVM's "User Guide for AMDGPU Backend": gfx1030
 *   cus          compute units of the full chip: AMD's product pages
 *   generation   AMD's name of the architecture
 *   pci_first..  PCI device ids of GPUs with this chip: https://pci-ids.ucw.cz (August 2026)
 *   pci_last
 */
#define SOV_AMD_NAVI21(X)    X(navi21,    "Navi 21",   1030, 80, "RDNA2", 0x73a0, 0x73bf)
#define SOV_AMD_NAVI22(X)    X(navi22,    "Navi 22",   1031, 40, "RDNA2", 0x73c0, 0x73df)
#define SOV_AMD_NAVI23(X)    X(navi23,    "Navi 23",   1032, 32, "RDNA2", 0x73e0, 0x73ff)
#define SOV_AMD_VANGOGH(X)   X(vangogh,   "Van Gogh",  1033,  8, "RDNA2", 0x163f, 0x163f)
#define SOV_AMD_NAVI24(X)    X(navi24,    "Navi 24",   1034, 16, "RDNA2", 0x7420, 0x743f)
#define SOV_AMD_REMBRANDT(X) X(rembrandt, "Rembrandt", 1035, 12, "RDNA2", 0x1681, 0x1681)
#define SOV_AMD_RAPHAEL(X)   X(raphael,   "Raphael",   1036,  2, "RDNA2", 0x164e, 0x164e)

/* All have the instructions of gfx1030 (LLVM's guide: the generic target gfx10-3). */
#define SOV_AMD_CHIPS(X) \
	SOV_AMD_NAVI21(X) SOV_AMD_NAVI22(X) SOV_AMD_NAVI23(X) SOV_AMD_VANGOGH(X) \
	SOV_AMD_NAVI24(X) SOV_AMD_REMBRANDT(X) SOV_AMD_RAPHAEL(X)

/*
 * Facts of a gfx target, in waves of 32 lanes:
 *   MAX_THREADS, LDS_PER_WORKGROUP (bytes): LLVM's "User Guide for AMDGPU Backend"
 *   LDS_PER_CU, CUS_PER_WGP, SIMDS_PER_CU, MAX_VGPRS (of one lane): RDNA2 ISA manual
 *   WAVES_PER_SIMD, VGPRS_PER_SIMD (of one lane), VGPR_GRANULE (their allocation unit): LLVM,
 *                AMDGPUBaseInfo for gfx10.3; llc-19 reports occupancy by the same numbers
 */
#define AMD_GFX1030_MAX_THREADS       1024
#define AMD_GFX1030_LDS_PER_WORKGROUP (64 << 10)
#define AMD_GFX1030_LDS_PER_CU        (64 << 10)
#define AMD_GFX1030_CUS_PER_WGP       2
#define AMD_GFX1030_SIMDS_PER_CU      2
#define AMD_GFX1030_WAVES_PER_SIMD    16
#define AMD_GFX1030_VGPRS_PER_SIMD    1024
#define AMD_GFX1030_VGPR_GRANULE      16
#define AMD_GFX1030_MAX_VGPRS         256
#define AMD_WAVE_LANES                32

#endif
