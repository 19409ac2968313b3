/* SPDX-License-Identifier: MIT */
/*
 * The interpreter's state, shared by its files: interp.c executes threads, interp_call.c calls,
 * interp_memory.c memory accesses, interp_lanes.c warp syncs and barriers.
 */
#ifndef SOV_COMPILER_INTERP_STATE_H
#define SOV_COMPILER_INTERP_STATE_H

#include "libsov/compiler/interp/interp.h"

#define INTERP_BARRIERS 16

struct interp_value {
	uint64_t bits;
	bool defined;
};

enum interp_state { THREAD_READY, THREAD_WAITS, THREAD_EXITED };

/* The frame of a call, or of the kernel. */
struct interp_frame {
	const struct ir_func *f;
	ir_id at; /* program counter: the next instruction, or the one that waits or calls */
	struct interp_value *values, *regs, *args;
	uint64_t local; /* start of its local variables */
	uint64_t top;   /* end of its stack space */
	struct interp_frame *caller;
};

/* An asynchronous copy in flight. */
struct interp_copy {
	uint64_t to;    /* address in shared memory */
	uint64_t group; /* number of groups that the thread had before */
	uint8_t bytes, data[16];
};

struct interp_thread {
	enum interp_state state;
	uint32_t tid[3], index; /* index in the block, which determines warp and lane */
	struct interp_frame *frame;
	const struct ir_func *f; /* f, at and values are copies of the frame's */
	ir_id at;
	struct interp_value *values;
	uint8_t *local;
	bool *local_written;
	uint32_t barrier; /* while it waits at one */
	uint32_t arrived; /* mask of the barriers that it has arrived at and that have not opened */
	struct interp_copy *copies;
	uint32_t ncopies, copies_capacity;
	uint64_t groups; /* of copies, so far */
	/* The cluster's barrier: whether it has arrived and not waited yet, and in which phase. */
	bool at_cluster;
	uint64_t cluster_phase;
};

struct interp_barrier {
	uint32_t arrived;
	uint32_t threads; /* expected; 0: all of the block */
	uint32_t votes;   /* arrived threads whose predicate is true */
};

struct interp_block {
	uint32_t ctaid[3], left; /* left: threads that have not exited */
	struct interp_thread *threads;
	struct interp_barrier barriers[INTERP_BARRIERS];
	uint8_t *shared;
	bool *shared_written;
};

struct interp {
	const struct interp_launch *launch;
	const struct ir_func *f;
	struct arena arena;
	char *message;
	size_t message_size;
	uint64_t steps;
	/* The blocks of the cluster that runs, by rank, and the one whose threads run. */
	struct interp_block *blocks, *block;
	uint32_t nblocks, cluster[3];
	bool cluster_launch;      /* the launch or the kernel states the shape */
	uint32_t cluster_arrived; /* threads at the cluster's barrier in this phase */
	uint64_t cluster_phase;
	uint32_t nthreads;         /* of a block */
	struct interp_value *phis; /* scratch: the instruction count of the largest function */
	struct interp_frame **free_frames; /* frames of calls that returned, by function */
	uint64_t *frame_bytes;             /* local variables, by function */
	/* Memory: the variables of a space are laid out from address 0 on. */
	uint64_t *symbol_address; /* by symbol; for a local variable, the offset in its frame */
	uint64_t space_bytes[IR_SPACE_COUNT];
	/* Bytes of shared memory that belong to the kernel; start of the part that is reserved. */
	uint64_t total_shared, reserved_shared;
	uint8_t *constant, *variables;
};

/* Writes the message, with kernel, block, thread and instruction; returns false. */
bool interp_fail(struct interp *ip, const struct interp_thread *t, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* interp_call.c */
bool interp_enter(struct interp *ip, struct interp_thread *t, const struct ir_func *f);
bool interp_call(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);
/* Returns to the caller, or exits the kernel. */
void interp_return(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);
void interp_exit(struct interp *ip, struct interp_thread *t); /* exits the kernel from any depth */
uint64_t interp_function_address(const struct ir_func *f);

/* alloca, stacksave, stackrestore. */
bool interp_stack(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);

/* interp_memory.c */
bool interp_memory_init(struct interp *ip);  /* false: a size is out of range; with a message */
void interp_memory_reset(struct interp *ip); /* before each block */
uint64_t interp_to_generic(enum ir_space space, uint64_t address);
bool interp_in_space(const struct interp *ip, enum ir_space space, uint64_t address);
uint64_t interp_from_generic(enum ir_space space, uint64_t address);
bool interp_access(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);
struct interp_location {
	uint8_t *host;
	bool *written; /* by byte; NULL: all bytes count as written */
};
/* Finds bytes of memory; false: an error, reported. */
bool interp_translate(struct interp *ip, struct interp_thread *t, enum ir_space space,
		      uint64_t address, uint32_t bytes, bool write, struct interp_location *loc);
/* copyasync; copywait: completes the copies of all but the last groups. */
/* A row of loadmatrix: whether the lane's address is right, and an element of it. */
bool interp_check_row(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);
struct interp_value interp_row_element(struct interp *ip, const struct interp_thread *t,
				       const struct ir_inst *in, uint32_t k);
/* The host's address of bytes to write in shared memory, IR_SHARED_CLUSTER: of any block; *written:
 * by byte. */
bool interp_find_shared(struct interp *ip, struct interp_thread *t, enum ir_space space,
			uint64_t address, uint32_t bytes, uint8_t **host, bool **written);
/* Combines an element in shared memory of any block with an operand. */
bool interp_reduce(struct interp *ip, struct interp_thread *t, const struct ir_inst *in,
		   uint64_t address, uint64_t operand);
bool interp_copy(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);
/* The bytes of a bulk copy to an address, whose operands are defined. */
bool interp_copy_bytes(struct interp *ip, struct interp_thread *t, const struct ir_inst *in,
		       uint64_t target);
void interp_complete_copies(struct interp *ip, struct interp_thread *t, uint64_t groups_left);

/* interp_mbarrier.c */
bool interp_mbarrier(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);
bool interp_pending(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);
bool interp_bulk_copy(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);
/* Reports an operand that is undefined. */
bool interp_check_operands(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);
/* Bytes of a bulk copy arrive at a barrier. */
bool interp_complete_bytes(struct interp *ip, struct interp_thread *t, uint64_t barrier,
			   uint64_t bytes);

/* Whether an address in shared memory and its barrier are in one block, and the cluster has all
 * blocks of a set; otherwise an error, reported. */
bool interp_check_same_block(struct interp *ip, struct interp_thread *t, uint64_t address,
			     uint64_t barrier);
bool interp_check_blocks(struct interp *ip, struct interp_thread *t, uint64_t blocks);
/* An address in shared memory, in the block of that rank. */
uint64_t interp_in_block(uint64_t address, uint64_t rank);

/* What an atomic whose sub is an enum ir_atom leaves in memory. */
uint64_t interp_combine(const struct ir_inst *in, uint64_t old, uint64_t operand);

/* interp_tensor.c: copies of boxes of tensors. */
bool interp_tensor_copy(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);
bool interp_access_async(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);

/* What an atomic whose sub is an enum ir_atom leaves in memory. */
uint64_t interp_combine(const struct ir_inst *in, uint64_t old, uint64_t operand);

/* interp_texture.c: textures and surfaces. */
bool interp_texture(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);

/* interp_group.c: a lane's descriptors of mma.group; then the product, for all lanes of a warp. */
bool interp_check_group(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);
void interp_mma_group(struct interp *ip, struct interp_thread **all, uint32_t n);

/* interp_lanes.c */
/* The thread arrives at a warp sync or barrier. */
bool interp_arrive(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);
/* Executes the warp syncs that are complete and opens the barriers that are. */
void interp_release(struct interp *ip, bool *progress);
bool interp_deadlock(struct interp *ip); /* returns false, with a message */

#endif
