/* SPDX-License-Identifier: MIT */
/*
 * Traps and exceptions of gfx10.3 waves. Sources: RDNA2 ISA manual ("Trap Handlers", hardware
 * registers); Linux, amd/amdkfd/cwsr_trap_handler_gfx10.asm, for what the first-level handler of
 * amdkfd hands to a second-level one; LLVM's AMDGPU guide, "Trap Handler ABI", for trap numbers.
 * Nothing here has been seen on a card.
 *
 * A wave enters the handler privileged, with the PC in ttmp[0:1]: that of the s_trap, or where an
 * exception was noticed, which for a memory violation is behind the access. The second-level
 * handler finds its own memory's address (TMA) in ttmp[14:15] and STATUS in ttmp12, may change
 * ttmp2 to ttmp5, and passes over an s_trap itself. gfx10.3 has no scalar stores.
 */
#ifndef HW_AMD_TRAP_H
#define HW_AMD_TRAP_H

/* ttmp1: bits above the PC's. */
#define AMD_TRAP_PC_HIGH 0xffffu
#define AMD_TRAP_ID(hi)  ((hi) >> 16 & 0xff) /* 0: an exception */
#define AMD_TRAP_FATAL   2                   /* __builtin_trap; 3 is for debuggers */

/* Registers for s_getreg and s_setreg. */
#define AMD_HWREG_STATUS             2
#define AMD_STATUS_SCC               (1u << 0)
#define AMD_STATUS_PRIV              (1u << 5)
#define AMD_STATUS_EXECZ             (1u << 9)
#define AMD_STATUS_VCCZ              (1u << 10)
#define AMD_HWREG_TRAPSTS            3
#define AMD_TRAPSTS_MEMORY_VIOLATION (1u << 8)
#define AMD_TRAPSTS_ILLEGAL          (1u << 11)

/*
 * Without a second-level handler, a wave continues after s_trap. So a trap of our compiler also
 * stores to this page and ends the wave: nothing is ever mapped there, the last page of user
 * addresses, and the memory fault stops the queue. Our handler does the same after its report.
 */
#define AMD_TRAP_PAGE 0x00007ffffffff000ull

#endif
