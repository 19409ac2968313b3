/* SPDX-License-Identifier: MIT */
/*
 * Every operation of the IR, one row each. The printer, parser, verifier, interpreter, folder and
 * value numbering read these rows; nothing else knows an operation's shape. No operation names a
 * vendor.
 *
 * OP(name, text, arguments, results, type rule, types, attributes, properties)
 *
 * arguments  number, or V for "any number"
 * results    0, 1, 2; V for "any number" (up to 4: a vector's elements)
 * type rule  relation between the instruction's type T (printed after the name, e.g. add.b32), its
 *            arguments and results:
 *   SAME     arguments and result are T
 *   CMP      arguments T, result b1
 *   SELECT   arguments b1, T, T; result T
 *   SHIFT    arguments T, b32; result T
 *   WIDE     arguments half of T, result T
 *   CONVERT  argument has the attribute from-type, result T
 *   PACK     arguments two halves of T (low, high), result T
 *   UNPACK   argument T, results two halves of T (low, high)
 *   LEAF     no arguments, result T
 *   LOAD     argument address, or none: imm alone is the address; results T (one per element)
 *   STORE    arguments address, then T values (one per element)
 *   ATOMIC   arguments address, T value(s); result T
 *   LANE     arguments T value, b32 selector, b32 clamp, b32 members; results T, b1 (in range)
 *   VOTE     arguments b1, b32 members; result T
 *   NONE     as the comment says
 *            An address is b32 or b64, whatever its space; imm, a signed byte offset, is added.
 * types      which T there are: INT b8 to b64, BITS b1 as well, HALVES b16 to b64 (they have
 *            halves), WORD and FLOAT b32 and b64, B1 and B32 that one alone, VOID none
 * attributes which members of struct ir_inst have a meaning (and are printed); all others are zero
 * properties PURE (no effect; equal arguments and attributes give equal results), COMM, READ,
 *            WRITE (memory), CONV (convergent: may not gain or lose control dependences), TERM
 */
/* clang-format off */
/*  name       text        args res rule    types       attributes      properties */
/* leaves: sreg is one of enum ir_sreg (those that change, as a clock does, are not here); addr is
 * the address of a variable in its own space, plus imm */
OP(CONST,     "const",     0, 1, LEAF,    T_BITS,     A_IMM,          P_PURE)
OP(UNDEF,     "undef",     0, 1, LEAF,    T_BITS,     0,              P_PURE)
OP(SREG,      "sreg",      0, 1, LEAF,    T_B32,      A_SUB,          P_PURE)
OP(ADDR,      "addr",      0, 1, LEAF,    T_WORD,     A_SYMBOL|A_IMM, P_PURE)
/* mutable registers are what a front end emits, and SSA construction removes them; a phi has one
 * argument per predecessor, in their order */
OP(READ,      "read",      0, 1, LEAF,    T_BITS,     A_REG,          0)
OP(WRITE,     "write",     1, 0, SAME,    T_BITS,     A_REG,          0)
OP(PHI,       "phi",       V, 1, SAME,    T_BITS,     0,              0)
OP(COPY,      "copy",      1, 1, SAME,    T_BITS,     0,              P_PURE)
/* integers: div rounds towards zero and rem has the dividend's sign; division by zero gives all
 * ones and leaves the dividend; shifts by the width and more give 0, or the sign for shr.s; popc
 * counts ones, clz leading zeros (the width for 0), brev reverses the bits */
OP(ADD,       "add",       2, 1, SAME,    T_INT,      0,              P_PURE|P_COMM)
OP(SUB,       "sub",       2, 1, SAME,    T_INT,      0,              P_PURE)
OP(MUL,       "mul",       2, 1, SAME,    T_INT,      0,              P_PURE|P_COMM)
OP(MAD,       "mad",       3, 1, SAME,    T_INT,      0,              P_PURE)
OP(MULHI_U,   "mulhi.u",   2, 1, SAME,    T_INT,      0,              P_PURE|P_COMM)
OP(MULHI_S,   "mulhi.s",   2, 1, SAME,    T_INT,      0,              P_PURE|P_COMM)
OP(MULWIDE_U, "mulwide.u", 2, 1, WIDE,    T_HALVES,   0,              P_PURE|P_COMM)
OP(MULWIDE_S, "mulwide.s", 2, 1, WIDE,    T_HALVES,   0,              P_PURE|P_COMM)
OP(DIV_U,     "div.u",     2, 1, SAME,    T_INT,      0,              P_PURE)
OP(DIV_S,     "div.s",     2, 1, SAME,    T_INT,      0,              P_PURE)
OP(REM_U,     "rem.u",     2, 1, SAME,    T_INT,      0,              P_PURE)
OP(REM_S,     "rem.s",     2, 1, SAME,    T_INT,      0,              P_PURE)
OP(MIN_U,     "min.u",     2, 1, SAME,    T_INT,      0,              P_PURE|P_COMM)
OP(MIN_S,     "min.s",     2, 1, SAME,    T_INT,      0,              P_PURE|P_COMM)
OP(MAX_U,     "max.u",     2, 1, SAME,    T_INT,      0,              P_PURE|P_COMM)
OP(MAX_S,     "max.s",     2, 1, SAME,    T_INT,      0,              P_PURE|P_COMM)
OP(NEG,       "neg",       1, 1, SAME,    T_INT,      0,              P_PURE)
OP(AND,       "and",       2, 1, SAME,    T_BITS,     0,              P_PURE|P_COMM)
OP(OR,        "or",        2, 1, SAME,    T_BITS,     0,              P_PURE|P_COMM)
OP(XOR,       "xor",       2, 1, SAME,    T_BITS,     0,              P_PURE|P_COMM)
OP(NOT,       "not",       1, 1, SAME,    T_BITS,     0,              P_PURE)
OP(SHL,       "shl",       2, 1, SHIFT,   T_INT,      0,              P_PURE)
OP(SHR_U,     "shr.u",     2, 1, SHIFT,   T_INT,      0,              P_PURE)
OP(SHR_S,     "shr.s",     2, 1, SHIFT,   T_INT,      0,              P_PURE)
OP(POPC,      "popc",      1, 1, SAME,    T_INT,      0,              P_PURE)
OP(CLZ,       "clz",       1, 1, SAME,    T_INT,      0,              P_PURE)
OP(BREV,      "brev",      1, 1, SAME,    T_INT,      0,              P_PURE)
OP(ICMP,      "icmp",      2, 1, CMP,     T_BITS,     A_COND,         P_PURE)
OP(SELECT,    "select",    3, 1, SELECT,  T_BITS,     0,              P_PURE)
/* width changes: values have no signedness, only widths */
OP(ZEXT,      "zext",      1, 1, CONVERT, T_INT,      A_FROM,         P_PURE)
OP(SEXT,      "sext",      1, 1, CONVERT, T_INT,      A_FROM,         P_PURE)
OP(TRUNC,     "trunc",     1, 1, CONVERT, T_BITS,     A_FROM,         P_PURE)
OP(PACK,      "pack",      2, 1, PACK,    T_HALVES,   0,              P_PURE)
OP(UNPACK,    "unpack",    1, 2, UNPACK,  T_HALVES,   0,              P_PURE)
/* floating point: the width says which format; what the standard leaves open is in eval.h */
OP(FADD,      "fadd",      2, 1, SAME,    T_FLOAT,    A_FLOAT,        P_PURE|P_COMM)
OP(FMUL,      "fmul",      2, 1, SAME,    T_FLOAT,    A_FLOAT,        P_PURE|P_COMM)
OP(FMA,       "fma",       3, 1, SAME,    T_FLOAT,    A_FLOAT,        P_PURE)
OP(FNEG,      "fneg",      1, 1, SAME,    T_FLOAT,    A_FLOAT,        P_PURE)
OP(FABS,      "fabs",      1, 1, SAME,    T_FLOAT,    A_FLOAT,        P_PURE)
OP(FMIN,      "fmin",      2, 1, SAME,    T_FLOAT,    A_FLOAT,        P_PURE|P_COMM)
OP(FMAX,      "fmax",      2, 1, SAME,    T_FLOAT,    A_FLOAT,        P_PURE|P_COMM)
OP(FCMP,      "fcmp",      2, 1, CMP,     T_FLOAT,    A_COND|A_FLOAT, P_PURE)
/* memory: cas has address, compare, new; inc counts up to its argument and starts over at 0, dec
 * counts down to 0 and starts over at its argument; tospace takes a generic address to a space,
 * generic one of a space to a generic address */
OP(LOAD,      "load",      V, V, LOAD,    T_INT,      A_MEM|A_IMM,    P_READ)
OP(STORE,     "store",     V, 0, STORE,   T_INT,      A_MEM|A_IMM,    P_WRITE)
OP(ATOM,      "atom",      2, 1, ATOMIC,  T_WORD,     A_MEM|A_IMM|A_SUB|A_FLOAT, P_READ|P_WRITE)
OP(CAS,       "cas",       3, 1, ATOMIC,  T_WORD,     A_MEM|A_IMM,    P_READ|P_WRITE)
OP(FENCE,     "fence",     0, 0, NONE,    T_VOID,     A_ORDER,        P_READ|P_WRITE)
OP(TOSPACE,   "tospace",   1, 1, SAME,    T_WORD,     A_SPACE,        P_PURE)
OP(GENERIC,   "generic",   1, 1, SAME,    T_WORD,     A_SPACE,        P_PURE)
/* lanes and blocks: a shuffle's clamp has in bits 0 to 4 the last lane that may be read (for up the
 * first), in bits 8 to 12 the bits of a lane's number that divide a warp into segments; out of
 * range a lane reads itself. A ballot is b32, other votes are b1. A barrier's arguments are b32:
 * number, and how many threads meet there (all of the block when not given) */
OP(SHUFFLE,   "shuffle",   4, 2, LANE,    T_B32,      A_SUB,          P_CONV)
OP(VOTE,      "vote",      2, 1, VOTE,    T_B1|T_B32, A_SUB,          P_CONV)
OP(BARRIER,   "barrier",   V, 0, NONE,    T_VOID,     A_SUB,          P_CONV|P_READ|P_WRITE)
/* control: always last in a block; successors are in the block; cbr goes to successor 0 when its b1
 * is true, else to successor 1 */
OP(BR,        "br",        0, 0, NONE,    T_VOID,     0,              P_TERM)
OP(CBR,       "cbr",       1, 0, NONE,    T_VOID,     0,              P_TERM)
OP(RET,       "ret",       0, 0, NONE,    T_VOID,     0,              P_TERM)
OP(TRAP,      "trap",      0, 0, NONE,    T_VOID,     0,              P_TERM)
/* clang-format on */
#undef OP
