/* SPDX-License-Identifier: MIT */
/*
 * Every operation of the IR, one row each. The printer, parser, verifier, interpreter, folder and
 * value numbering read these rows; nothing else knows an operation's shape. No operation names a
 * vendor.
 *
 * OP(name, text, arguments, results, type rule, types, attributes, properties)
 *
 * arguments  number, or V for "any number"
 * results    0, 1, 2; V for "any number" (up to 4: a vector's elements, except of calls and groups)
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
 *   ATOMIC   arguments address, T values; results T (one per element)
 *   CARRY    arguments T, T, b1 (carry in); results T, b1 (carry out)
 *   LANE     arguments T value, b32 selector, b32 clamp, b32 members; results T, b1 (in range)
 *   VOTE     arguments b1, b32 members; result T
 *   GATHER   arguments T value, b32 members; result T
 *   MATCH    arguments T value, b32 members; results b32 lanes, b1 (all have the same)
 *   COPY     arguments two addresses, to and from, then perhaps b32
 *   MMA      arguments T, but the last b32; results T
 *   GROUP    arguments T, but descriptors b64; results T
 *   TEXTURE  arguments b64 handle, b32 coordinates, then T; results T
 *   CALL     arguments and results as the function named by the instruction has them
 *   NONE     as the comment says
 *            An address is b32 or b64, whatever its space; imm, a signed byte offset, is added.
 * types      which T there are: INT b8 to b64, BITS b1 as well, HALVES b16 to b64 (they have
 *            halves), FLOAT the same, WORD b32 and b64, B1, B32, B64 that one alone, VOID none
 * attributes which members of struct ir_inst have a meaning (and are printed); all others are zero
 * properties PURE (no effect; equal arguments and attributes give equal results), COMM, READ,
 *            WRITE (memory), CONV (convergent: may not gain or lose control dependences), TERM
 */
/* clang-format off */
/*  name       text        args res rule    types       attributes      properties */
/* Leaves. sreg reads one of enum ir_sreg (registers that change, such as clocks, are not among
 * them); addr is the address of a variable in its space, plus imm; funcaddr is the target of an
 * indirect call; arg is argument number imm of the function. */
OP(CONST,     "const",     0, 1, LEAF,    T_BITS,     A_IMM,          P_PURE)
OP(UNDEF,     "undef",     0, 1, LEAF,    T_BITS,     0,              P_PURE)
OP(SREG,      "sreg",      0, 1, LEAF,    T_B32,      A_SUB,          P_PURE)
OP(ADDR,      "addr",      0, 1, LEAF,    T_WORD,     A_SYMBOL|A_IMM, P_PURE)
OP(FUNCADDR,  "funcaddr",  0, 1, LEAF,    T_B64,      A_FUNC,         P_PURE)
OP(ARG,       "arg",       0, 1, LEAF,    T_BITS,     A_IMM,          P_PURE)
/* Front ends emit mutable registers; SSA construction removes them. A phi has one argument per
 * predecessor, in their order. */
OP(READ,      "read",      0, 1, LEAF,    T_BITS,     A_REG,          0)
OP(WRITE,     "write",     1, 0, SAME,    T_BITS,     A_REG,          0)
OP(PHI,       "phi",       V, 1, SAME,    T_BITS,     0,              0)
OP(COPY,      "copy",      1, 1, SAME,    T_BITS,     0,              P_PURE)
/* Integers. div rounds towards zero and rem has the dividend's sign; division by zero returns all
 * ones and remainder the dividend. Shifts by the width or more return 0, or the sign for shr.s.
 * popc counts ones, clz leading zeros (the width for 0), brev reverses the bits. addc adds a carry;
 * subc subtracts a borrow and returns one. permute selects four of the bytes 0 to 7 of its first
 * two arguments, each by a digit of the third, lowest first; bit 3 of a digit replicates the byte's
 * sign. logic3 looks up each result bit in the eight bits of imm, indexed by the arguments' bits,
 * the first argument's highest. dot adds to its third argument the products of four bytes of the
 * others, or of two halves of the first with two bytes (low or high) of the second. absdiff4
 * returns the absolute differences of four unsigned bytes. A narrow product fits its lower half. */
OP(ADD,       "add",       2, 1, SAME,    T_INT,      0,              P_PURE|P_COMM)
OP(SUB,       "sub",       2, 1, SAME,    T_INT,      0,              P_PURE)
OP(MUL,       "mul",       2, 1, SAME,    T_INT,      0,              P_PURE|P_COMM)
OP(MAD,       "mad",       3, 1, SAME,    T_INT,      0,              P_PURE)
OP(MULHI_U,   "mulhi.u",   2, 1, SAME,    T_INT,      0,              P_PURE|P_COMM)
OP(MULHI_S,   "mulhi.s",   2, 1, SAME,    T_INT,      0,              P_PURE|P_COMM)
OP(MULWIDE_U, "mulwide.u", 2, 1, WIDE,    T_HALVES,   A_NARROW,       P_PURE|P_COMM)
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
OP(ADDC,      "addc",      3, 2, CARRY,   T_INT,      0,              P_PURE)
OP(SUBC,      "subc",      3, 2, CARRY,   T_INT,      0,              P_PURE)
OP(PERMUTE,   "permute",   3, 1, SAME,    T_B32,      0,              P_PURE)
OP(LOGIC3,    "logic3",    3, 1, SAME,    T_INT,      A_IMM,          P_PURE)
OP(DOT,       "dot",       3, 1, SAME,    T_B32,      A_SUB,          P_PURE)
OP(ABSDIFF4,  "absdiff4",  2, 1, SAME,    T_B32,      0,              P_PURE|P_COMM)
OP(ICMP,      "icmp",      2, 1, CMP,     T_BITS,     A_COND,         P_PURE)
OP(SELECT,    "select",    3, 1, SELECT,  T_BITS,     0,              P_PURE)
/* Width changes: values have widths but no signedness. */
OP(ZEXT,      "zext",      1, 1, CONVERT, T_INT,      A_FROM,         P_PURE)
OP(SEXT,      "sext",      1, 1, CONVERT, T_INT,      A_FROM,         P_PURE)
OP(TRUNC,     "trunc",     1, 1, CONVERT, T_BITS,     A_FROM,         P_PURE)
OP(PACK,      "pack",      2, 1, PACK,    T_HALVES,   0,              P_PURE)
OP(UNPACK,    "unpack",    1, 2, UNPACK,  T_HALVES,   0,              P_PURE)
/* Floating point. The width implies the format, except for bf16 in 16 bits and pairs (f16x2,
 * bf16x2) in 32 bits, which the format attribute names; eval.h fixes what IEEE 754 leaves open.
 * fdiv, frcp and fsqrt round correctly; the error of approx depends on the target. fround rounds to
 * an integral float. */
OP(FADD,      "fadd",      2, 1, SAME,    T_FLOAT,    A_FLOAT,        P_PURE|P_COMM)
OP(FMUL,      "fmul",      2, 1, SAME,    T_FLOAT,    A_FLOAT,        P_PURE|P_COMM)
OP(FMA,       "fma",       3, 1, SAME,    T_FLOAT,    A_FLOAT,        P_PURE)
OP(FDIV,      "fdiv",      2, 1, SAME,    T_WORD,     A_FLOAT,        P_PURE)
OP(FRCP,      "frcp",      1, 1, SAME,    T_WORD,     A_FLOAT,        P_PURE)
OP(FSQRT,     "fsqrt",     1, 1, SAME,    T_WORD,     A_FLOAT,        P_PURE)
OP(APPROX,    "approx",    1, 1, SAME,    T_FLOAT,    A_SUB|A_FLOAT,  P_PURE)
OP(FROUND,    "fround",    1, 1, SAME,    T_FLOAT,    A_FLOAT,        P_PURE)
OP(FNEG,      "fneg",      1, 1, SAME,    T_FLOAT,    A_FLOAT,        P_PURE)
OP(FABS,      "fabs",      1, 1, SAME,    T_FLOAT,    A_FLOAT,        P_PURE)
OP(FMIN,      "fmin",      2, 1, SAME,    T_FLOAT,    A_FLOAT,        P_PURE|P_COMM)
OP(FMAX,      "fmax",      2, 1, SAME,    T_FLOAT,    A_FLOAT,        P_PURE|P_COMM)
OP(FCMP,      "fcmp",      2, 1, CMP,     T_FLOAT,    A_COND|A_FLOAT, P_PURE)
/* Whether an f32 quotient computed by fma may be wrong, because of an operand or an intermediate
 * result near the ends of the range. */
OP(FCHK,      "fchk",      2, 1, CMP,     T_B32,      0,              P_PURE)
/* Float conversions. bf16 refers to the 16-bit side. ftof to tf32 converts b32 to b32: a single
 * with the fraction of a half, its other 13 bits zero. e4m3x2 and e5m2x2 are two 8-bit floats in
 * b16: from two halves (b32) or two singles (b64), low element first, saturating to the greatest
 * finite number, or back to two halves. Conversions to integers saturate; for NaN see eval.h. */
OP(UTOF,      "utof",      1, 1, CONVERT, T_FLOAT,    A_FROM|A_FLOAT, P_PURE)
OP(STOF,      "stof",      1, 1, CONVERT, T_FLOAT,    A_FROM|A_FLOAT, P_PURE)
OP(FTOU,      "ftou",      1, 1, CONVERT, T_INT,      A_FROM|A_FLOAT, P_PURE)
OP(FTOS,      "ftos",      1, 1, CONVERT, T_INT,      A_FROM|A_FLOAT, P_PURE)
OP(FTOF,      "ftof",      1, 1, CONVERT, T_FLOAT,    A_FROM|A_FLOAT, P_PURE)
/* Memory. With policy, the last argument, b64, says how the L2 cache keeps the data, as the target
 * defines it; that, evict and fetch are hints. cas takes address, compare, new. Two elements of b64, which only cas and atom exch have,
 * are one 128-bit access: both words of compare precede both words of new. inc counts up to its
 * argument and wraps to 0; dec counts down to 0 and wraps to its argument. tospace converts a
 * generic address to a space, generic the other direction; inspace tests whether a generic address
 * is in a space. */
OP(LOAD,      "load",      V, V, LOAD,    T_INT,      A_MEM|A_IMM|A_CACHE|A_POLICY, P_READ)
OP(STORE,     "store",     V, 0, STORE,   T_INT,      A_MEM|A_IMM|A_CACHE|A_POLICY, P_WRITE)
OP(ATOM,      "atom",      V, V, ATOMIC,  T_HALVES,   A_MEM|A_IMM|A_SUB|A_FLOAT|A_POLICY, P_READ|P_WRITE)
OP(CAS,       "cas",       V, V, ATOMIC,  T_HALVES,   A_MEM|A_IMM,    P_READ|P_WRITE)
OP(FENCE,     "fence",     0, 0, NONE,    T_VOID,     A_ORDER,        P_READ|P_WRITE)
OP(TOSPACE,   "tospace",   1, 1, SAME,    T_WORD,     A_SPACE,        P_PURE)
OP(GENERIC,   "generic",   1, 1, SAME,    T_WORD,     A_SPACE,        P_PURE)
OP(INSPACE,   "inspace",   1, 1, CMP,     T_WORD,     A_SPACE,        P_PURE)
/* Stack. alloca returns the local address of the given number of bytes, aligned to imm (a power of
 * two). The bytes exist until the function returns or restores the stack pointer that stacksave
 * returned. */
OP(ALLOCA,    "alloca",    1, 1, SAME,    T_WORD,     A_IMM,          P_READ|P_WRITE)
OP(STACKSAVE, "stacksave", 0, 1, LEAF,    T_WORD,     0,              P_READ|P_WRITE)
OP(STACKRESTORE, "stackrestore", 1, 0, SAME, T_WORD,  0,              P_READ|P_WRITE)
/* Asynchronous copies by one thread from global to shared memory, of 4, 8 or 16 bytes, both
 * addresses aligned to them. imm is added to the address in global memory. The b32 argument is the
 * number of bytes that are read; the others become zero. Until the thread waits for the copy, the
 * bytes in shared memory are undefined. copycommit makes a group of the copies since the last one;
 * copywait waits until at most imm of the latest groups have copies in flight. */
OP(COPYASYNC, "copyasync", V, 0, COPY,    T_VOID,     A_SUB|A_IMM|A_CACHE|A_POLICY, P_READ|P_WRITE)
OP(COPYCOMMIT, "copycommit", 0, 0, NONE,  T_VOID,     0,              P_READ|P_WRITE)
OP(COPYWAIT,  "copywait",  0, 0, NONE,    T_VOID,     A_IMM,          P_READ|P_WRITE)
/* Barriers in shared memory: objects of 8 bytes whose contents depend on the target. The first
 * argument is the address; all arguments are b32. A barrier has a phase, 0
 * after mbarrier.init, which sets how many arrivals each phase expects. A phase ends, and the next
 * begins, when all arrivals are made and no bytes are outstanding. mbarrier.arrive takes a number
 * of arrivals and of bytes: arrive and drop make the arrivals, drop also removes them from those
 * that later phases expect, .nocomplete promises that the phase does not end; bytes become
 * outstanding, except that complete subtracts them; expect and complete make no arrivals. Earlier
 * accesses of the thread are visible to threads that see the phase end. The result is a token: bit
 * 31 is the phase before, and mbarrier.pending returns the arrivals that were missing before.
 * mbarrier.test returns whether the phase in bit 31 of its argument has ended; try may wait a while
 * for that, about as many nanoseconds as the third argument says. After mbarrier.inval the memory
 * may be reused. copyarrive makes one arrival when all copies so far by the thread have arrived;
 * counted: after it has added one to those that the current phase expects. */
OP(MBARRIER_INIT, "mbarrier.init", 2, 0, NONE, T_VOID, 0,             P_READ|P_WRITE)
OP(MBARRIER_INVAL, "mbarrier.inval", 1, 0, NONE, T_VOID, 0,           P_READ|P_WRITE)
OP(MBARRIER_ARRIVE, "mbarrier.arrive", 3, 1, NONE, T_B32, A_SUB,      P_READ|P_WRITE)
OP(MBARRIER_TEST, "mbarrier.test", V, 1, NONE, T_B1, A_SUB,           P_READ|P_WRITE)
OP(MBARRIER_PENDING, "mbarrier.pending", 1, 1, SAME, T_B32, 0,        0)
OP(COPYARRIVE, "copyarrive", 1, 0, NONE,  T_VOID,     A_SUB,          P_READ|P_WRITE)
/* Shared memory of any block of the cluster, by addresses that contain its rank (cluster.h).
 * mbarrier.remote is mbarrier.arrive without a token and without .nocomplete. storeasync stores one,
 * two or four words: the arguments are the address, the address of a barrier in the same block, and
 * the words. redasync combines its first argument with an element by an atomic; address and barrier
 * follow. When memory has changed, the outstanding bytes of the barrier decrease by those written. */
OP(MBARRIER_REMOTE, "mbarrier.remote", 3, 0, NONE, T_VOID, A_SUB,     P_READ|P_WRITE)
OP(STOREASYNC, "storeasync", V, 0, NONE,  T_VOID,     0,              P_READ|P_WRITE)
OP(REDASYNC,  "redasync",  3, 0, GATHER,  T_WORD,     A_SUB,          P_READ|P_WRITE)
/* Bulk copies by one thread: the arguments are the addresses to and from, the number of bytes and,
 * for copies to shared memory, the barrier whose outstanding bytes decrease by that number when the
 * copy has arrived. Addresses in shared memory are b32. Both addresses and the number are multiples
 * of 16. Shared memory to which a copy goes, and its barrier, may be those of another block of the
 * cluster. A multicast has a set of blocks, by rank, as fifth argument, and copies to the same
 * offset in each of them, with the barrier at the same offset. bulkcommit makes a group of the thread's copies to global memory since the last one;
 * bulkwait waits until at most imm of the latest groups are in flight; with read, until they have
 * read their data. */
/* Bulk copies see accesses to their space that precede fenceasync, and accesses after it what they
 * have left. */
OP(FENCEASYNC, "fenceasync", 0, 0, NONE,  T_VOID,     A_SPACE,        P_READ|P_WRITE)
OP(BULKCOPY,  "bulkcopy",  V, 0, COPY,    T_VOID,     A_SUB|A_POLICY, P_READ|P_WRITE)
/* The same for elements that are combined with those in memory, by an atomic each: from shared to
 * global memory, or with a barrier within shared memory. */
OP(BULKREDUCE, "bulkreduce", V, 0, COPY,  T_HALVES,   A_SUB|A_FLOAT|A_POLICY, P_READ|P_WRITE)
/* A bulk copy between shared memory and a box of a tensor, which a tensor map describes
 * (libsov/isa/tensor_map.h); elements of shared memory may also be combined with those of the
 * tensor, by atomics of the map's type. The arguments are the address of the map, which is in global memory or
 * a parameter, and that in shared memory, for a load the barrier, then the coordinates of the box,
 * b32. In im2col mode a load has two offsets less than coordinates. With multicast, its last
 * argument is the set of the cluster's blocks to whose shared memory and barriers the box is copied.
 * Changes of a map by other threads are visible to tensorcopy after mapacquire of its address. */
OP(TENSORCOPY, "tensorcopy", V, 0, COPY,  T_VOID,     A_SUB|A_IMM|A_POLICY, P_READ|P_WRITE)
OP(MAPACQUIRE, "mapacquire", 1, 0, SAME,  T_B64,      0,              P_READ|P_WRITE)
/* Copies will use the map at the address soon. */
OP(MAPPREFETCH, "mapprefetch", 1, 0, SAME, T_B64,     0,              P_READ|P_WRITE)
OP(BULKCOMMIT, "bulkcommit", 0, 0, NONE,  T_VOID,     0,              P_READ|P_WRITE)
OP(BULKWAIT,  "bulkwait",  0, 0, NONE,    T_VOID,     A_SUB|A_IMM,          P_READ|P_WRITE)
/* Textures and surfaces (libsov/isa/texture.h). The first argument is the handle, b64; then come
 * the layer, if there are layers, and the coordinates, b32. sample returns four channels of a
 * filtered texel at f32 coordinates, or of a texel at integer ones; then follows the level, or the
 * derivatives of each coordinate but the layer in one direction and those in another. gather4 returns
 * one channel of the four texels that linear filtering reads. With offset, an argument of both is
 * added to coordinates, with compare texels are compared with an f32, both as struct texture_request
 * has them; with sampler the last argument, b64, is the handle whose sampler is used instead of the
 * texture's own. texquery returns a size of a level, which is its second argument. Surfaces are accessed where
 * x counts bytes; surfload and surfstore access one, two or four elements, surfreduce combines one
 * with that in memory. With formatted, x counts texels, the elements are channels, f32 or integers
 * as tex returns them, and those that a texel lacks are not stored; a reduction is of texels of one word, and min.u and
 * max.u are signed if the format is. A volatile access is coherent in the whole GPU. A handle must be of a texture or surface with this geometry. */
OP(SAMPLE,    "sample",    V, V, TEXTURE, T_B32,      A_GEOMETRY|A_SUB, P_READ)
OP(GATHER4,   "gather4",   V, V, TEXTURE, T_B32,      A_GEOMETRY|A_SUB, P_READ)
OP(TEXQUERY,  "texquery",  2, 1, TEXTURE, T_B32,      A_SUB,          P_READ)
OP(SURFLOAD,  "surfload",  V, V, TEXTURE, T_INT,      A_GEOMETRY|A_RANGE, P_READ)
OP(SURFSTORE, "surfstore", V, 0, TEXTURE, T_INT,      A_GEOMETRY|A_RANGE, P_WRITE)
OP(SURFREDUCE, "surfreduce", V, 0, TEXTURE, T_WORD,   A_GEOMETRY|A_RANGE|A_SUB, P_READ|P_WRITE)
/* Lanes and blocks. Bits 0 to 4 of a shuffle's clamp are the last lane that may be read (for up the
 * first); bits 8 to 12 are the lane-number bits that divide a warp into segments; out of range a
 * lane reads itself. A ballot is b32, other votes are b1. match.any returns the members with the
 * same value; match.all all members, or none when their values differ. active is the set of lanes
 * that execute it together, alive the set of the warp's lanes that have not exited. warpsync waits
 * for its members and orders their memory accesses. Lanes that name the same members join one warp
 * sync, also at different instructions of the same kind. A barrier's arguments are b32: number, and
 * thread count (default: the whole block). barrier.red takes number, b1, thread count; all threads
 * receive the and, the or, or the number of true b1 arguments. cluster_barrier: after a thread has
 * arrived it waits, once, until all threads of the cluster that have not exited have arrived; it
 * orders no memory accesses. */
OP(SHUFFLE,   "shuffle",   4, 2, LANE,    T_B32,      A_SUB,          P_CONV)
OP(VOTE,      "vote",      2, 1, VOTE,    T_B1|T_B32, A_SUB,          P_CONV)
OP(MATCH_ANY, "match.any", 2, 1, MATCH,   T_WORD,     0,              P_CONV)
OP(MATCH_ALL, "match.all", 2, 2, MATCH,   T_WORD,     0,              P_CONV)
OP(REDUCE,    "reduce",    2, 1, GATHER,  T_B32,      A_SUB,          P_CONV)
OP(ACTIVE,    "active",    0, 1, LEAF,    T_B32,      0,              P_CONV)
OP(ALIVE,     "alive",     0, 1, LEAF,    T_B32,      0,              P_CONV)
OP(WARPSYNC,  "warpsync",  1, 0, NONE,    T_VOID,     0,              P_CONV|P_READ|P_WRITE)
OP(BARRIER,   "barrier",   V, 0, NONE,    T_VOID,     A_SUB,          P_CONV|P_READ|P_WRITE)
OP(CLUSTER_BARRIER, "cluster_barrier", 0, 0, NONE, T_VOID, A_SUB,     P_CONV|P_READ|P_WRITE)
OP(BARRIER_RED, "barrier.red", V, 1, NONE, T_B1|T_B32, A_SUB,         P_CONV|P_READ|P_WRITE)
/* Matrices. mma is a product of matrices that are spread over the warp (mma.h): the registers of A,
 * B and C, of sparse products the metadata, then the members, which are all lanes; the results are
 * the registers of D. imm is the selector of sparse products. */
OP(MMA,       "mma",       V, V, MMA,     T_WORD,     A_SUB|A_IMM,    P_CONV)
/* mma.group is a product of four warps, in which each warp computes a quarter of the rows
 * (mma_group.h): the four registers of A or its descriptor, the descriptor of B, the registers of C,
 * of a sparse A the metadata, whether C counts (otherwise it is zero), then the members, which are all lanes; the results are the
 * registers of D. imm is the number of columns and what is transposed or negated. All lanes of a warp
 * have the same descriptors and the same predicate. */
OP(MMA_GROUP, "mma.group", V, V, GROUP,   T_B32,      A_SUB|A_IMM,    P_CONV|P_READ)
/* The products before a commit are a group; a wait leaves at most imm of them reading memory. */
OP(MMA_GROUP_COMMIT, "mma.group.commit", 0, 0, NONE, T_VOID, 0,       P_READ|P_WRITE)
OP(MMA_GROUP_WAIT, "mma.group.wait", 0, 0, NONE, T_VOID, A_IMM,       P_READ|P_WRITE)
/* loadmatrix loads one, two or four matrices of eight rows of eight 16-bit elements from shared
 * memory. Its first argument is the address, b32, of a row of 16 bytes: lanes 0 to 7 name the rows
 * of the first matrix, the next eight those of the second. The word of lane n is elements
 * 2 (n mod 4) and the next of row n / 4, or of column n / 4. */
OP(LOADMATRIX, "loadmatrix", 2, V, GATHER, T_B32,     A_SUB,          P_CONV|P_READ)
/* Waits until the grids that this one depends on have ended and their stores are visible: a launch
 * may start a grid before. */
OP(GRIDWAIT,  "gridwait",  0, 0, NONE,    T_VOID,     0,              P_READ|P_WRITE)
/* Registers. A kernel that states how many registers its threads start with may move registers
 * between warps: give leaves imm of them to each thread of the warp, take asks for imm and returns
 * whether there were enough. Targets that cannot do this give none and take as many as is asked. */
OP(GIVE_REGISTERS, "registers.give", 0, 0, NONE, T_VOID, A_IMM,       P_READ|P_WRITE)
OP(TAKE_REGISTERS, "registers.take", 0, 1, LEAF, T_B1,   A_IMM,       P_READ|P_WRITE)
/* Time. clock counts cycles or nanoseconds; sleep takes the approximate nanoseconds, b32. */
OP(CLOCK,     "clock",     0, 1, LEAF,    T_WORD,     A_SUB,          P_READ|P_WRITE)
OP(SLEEP,     "sleep",     1, 0, NONE,    T_VOID,     0,              P_READ|P_WRITE)
/* Calls. callptr's first argument is the address; its function is a prototype. */
OP(CALL,      "call",      V, V, CALL,    T_VOID,     A_FUNC,         P_CONV|P_READ|P_WRITE)
OP(CALLPTR,   "callptr",   V, V, CALL,    T_VOID,     A_FUNC,         P_CONV|P_READ|P_WRITE)
/* Control flow. A terminator is last in its block; the block holds the successors. cbr branches to
 * successor 0 when its b1 is true, else to successor 1; ret has the function's results, a kernel's
 * none; exit ends the thread, also inside of calls. */
OP(BR,        "br",        0, 0, NONE,    T_VOID,     0,              P_TERM)
OP(CBR,       "cbr",       1, 0, NONE,    T_VOID,     0,              P_TERM)
OP(RET,       "ret",       V, 0, CALL,    T_VOID,     0,              P_TERM)
OP(EXIT,      "exit",      0, 0, NONE,    T_VOID,     0,              P_TERM)
OP(TRAP,      "trap",      0, 0, NONE,    T_VOID,     0,              P_TERM)
/* clang-format on */
#undef OP
