// SPDX-License-Identifier: MIT
/*
 * Which coordinates does the hardware take in copies of tensors? Loads, stores and adds boxes of
 * 32 bytes by 4 rows at coordinates inside and outside of a tensor of 64 bytes by 8 rows, or of
 * rows that end within 16 bytes, with NVIDIA's compiler, and compares what arrives with what PTX
 * promises. A refused copy destroys the context, so each one
 * has a process of its own.
 *   usage: tensor_coordinates      needs libcuda.so.1 and a Hopper GPU
 */
#include <string.h>
#include <sys/wait.h>

#include "tests/silicon/driver.h"

enum { WORDS = 32, ROW = 64, ROWS = 8, BOX_ROW = 32, BOX_ROWS = 4, BYTES = ROW * ROWS };
enum { BOX_BYTES = BOX_ROW * BOX_ROWS, POISON = 0xa5, CHILDREN = 8 };
enum operation { LOAD, STORE, ADD, OPERATIONS };

static const char *const operations[] = {"load", "store", "add"};
static const struct type {
	const char *name;
	uint32_t number, bytes; /* the number in a tensor map */
} types[] = {{"u8", 0, 1}, {"u16", 1, 2}, {"u32", 2, 4}, {"u64", 4, 8}};
static const int bytes_0[] = {0, 1, 2, 4, 8, 12, 16, 20, 32, 48, 64, -1, -4, -8, -16, -32, -48};

struct probe {
	const struct type *type;
	enum operation operation;
	int c0, c1;
	int row;            /* bytes of the tensor's */
	uint32_t like_cuda; /* words that CUDA writes and that no instruction of PTX changes */
};

#define HEAD \
	".version 8.6\n.target sm_90\n.address_size 64\n" \
	".visible .entry k(.param .align 64 .b8 map[128], .param .u64 box, .param .u32 c0, " \
	".param .u32 c1)\n" \
	"{\n.reg .pred %p, %first; .reg .b32 %i, %x, %c0, %c1, %at; .reg .b64 %m, %b, %g, %s;\n" \
	".shared .align 8 .b64 barrier; .shared .align 128 .b8 data[128];\n" \
	"mov.b64 %m, map; cvta.param.u64 %m, %m; ld.param.u32 %c0, [c0]; ld.param.u32 %c1, " \
	"[c1];\n" \
	"ld.param.u64 %b, [box]; mov.u32 %i, %tid.x; setp.ne.u32 %first, %i, 0;\n" \
	"mad.wide.u32 %g, %i, 4, %b; mov.u32 %at, data; mad.lo.u32 %at, %i, 4, %at;\n" \
	"ld.global.u32 %x, [%g]; st.shared.u32 [%at], %x; fence.proxy.async; bar.sync 0;\n"
#define STORED(instruction, operation) \
	HEAD "@%first bra done;\n" instruction ".2d.global.shared::cta" operation \
	     ".tile.bulk_group " \
	     "[%m, {%c0, %c1}], [data];\ncp.async.bulk.commit_group; cp.async.bulk.wait_group " \
	     "0;\n" \
	     "done: ret;\n}\n"

static const char load[] =
	HEAD "@%first bra ready;\nmbarrier.init.shared.b64 [barrier], 1; "
	     "fence.proxy.async.shared::cta;\n"
	     "mbarrier.arrive.expect_tx.shared.b64 %s, [barrier], 128;\n"
	     "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
	     "[data], [%m, {%c0, %c1}], [barrier];\nready: bar.sync 0;\n"
	     "wait: mbarrier.try_wait.parity.shared.b64 %p, [barrier], 0;\n@!%p bra wait;\n"
	     "ld.shared.u32 %x, [%at]; st.global.u32 [%g], %x; ret;\n}\n";
static const char *const kernels[] = {load, STORED("cp.async.bulk.tensor", ""),
				      STORED("cp.reduce.async.bulk.tensor", ".add")};

static void describe(const struct probe *p, cuda_ptr at, uint32_t *map)
{
	memset(map, 0, WORDS * sizeof(*map));
	map[0] = (uint32_t)at;
	map[1] = (uint32_t)(at >> 32);
	map[2] = 1 << 4 | p->type->number << 7;
	map[3] = ROW / 16; /* the stride of dimension 1 */
	map[8] = (uint32_t)p->row / p->type->bytes - 1;
	map[9] = ROWS - 1;
	map[13] = (BOX_ROW / p->type->bytes - 1) << 24;
	map[14] = BOX_ROWS - 1;
	if (p->like_cuda) {
		map[16] = BOX_BYTES;
		map[18] = 16;
	}
}

/* Combines the box with the tensor, or the tensor's part with the box. */
static void expect(const struct probe *p, uint8_t *tensor, uint8_t *box)
{
	uint32_t bytes = p->type->bytes;

	for (int k = 0; k < BOX_BYTES; k += (int)bytes) {
		int row = p->c1 + k / BOX_ROW, at = p->c0 * (int)bytes + k % BOX_ROW;
		int inside = row >= 0 && row < ROWS && at >= 0 && at < p->row;
		uint8_t *t = tensor + row * ROW + at;
		uint64_t a = 0, b = 0;

		if (inside)
			memcpy(&a, t, bytes);
		memcpy(&b, box + k, bytes);
		a += b;
		if (p->operation == LOAD && inside)
			memcpy(box + k, t, bytes);
		else if (p->operation == LOAD)
			memset(box + k, 0, bytes);
		else if (inside)
			memcpy(t, p->operation == STORE ? &b : &a, bytes);
	}
}

/* Exit status of the process: right, wrong, refused, broken. */
enum { RIGHT, WRONG, REFUSED, BROKEN };

static int run(const struct probe *p)
{
	uint8_t tensor[BYTES], box[BOX_BYTES], tensor_after[BYTES], box_after[BOX_BYTES];
	_Alignas(64) uint32_t map[WORDS];
	cuda_ptr at, box_at;
	cuda_handle module, function;
	void *arguments[] = {map, &box_at, (void *)&p->c0, (void *)&p->c1};
	int error;

	limit_time(60);
	cuda_open();
	srand(1);
	for (uint32_t k = 0; k < BYTES; k++)
		tensor[k] = (uint8_t)(rand() >> 8);
	for (uint32_t k = 0; k < BOX_BYTES; k++)
		box[k] = p->operation == LOAD ? POISON : (uint8_t)(rand() >> 8);
	must(cuMemAlloc_v2(&at, BYTES), "allocating");
	must(cuMemAlloc_v2(&box_at, BOX_BYTES), "allocating");
	must(cuMemcpyHtoD_v2(at, tensor, BYTES), "copying");
	must(cuMemcpyHtoD_v2(box_at, box, BOX_BYTES), "copying");
	describe(p, at, map);
	expect(p, tensor, box);
	must(cuModuleLoadData(&module, kernels[p->operation]), "compiling");
	must(cuModuleGetFunction(&function, module, "k"), "finding the kernel");
	must(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL), "launching");
	error = cuCtxSynchronize();
	if (error)
		return REFUSED;
	must(cuMemcpyDtoH_v2(tensor_after, at, BYTES), "copying back");
	must(cuMemcpyDtoH_v2(box_after, box_at, BOX_BYTES), "copying back");
	return memcmp(tensor, tensor_after, BYTES) || memcmp(box, box_after, BOX_BYTES) ? WRONG
											: RIGHT;
}

static void report(const struct probe *p, int status)
{
	static const char *const words[] = {"right", "WRONG", "refused", "BROKEN"};

	printf("%-5s %s %s, rows of %d, (%3d, %2d) %4d bytes: %s\n", operations[p->operation],
	       p->type->name, p->like_cuda ? "as CUDA" : "as ours", p->row, p->c0, p->c1,
	       p->c0 * (int)p->type->bytes,
	       WIFEXITED(status) && WEXITSTATUS(status) < BROKEN ? words[WEXITSTATUS(status)]
								 : words[BROKEN]);
}

enum { MAX_PROBES = 1000, RAGGED = 56 };
static struct probe probes[MAX_PROBES];
static unsigned probe_count;

static void add_probe(struct probe p, int byte_0)
{
	int bytes = (int)p.type->bytes;

	p.c0 = byte_0 / bytes;
	if (byte_0 % bytes || (p.operation == ADD && bytes < 4) || probe_count == MAX_PROBES)
		return;
	probes[probe_count++] = p;
}

/* All first coordinates in a row inside of the tensor, some at its edges, and ends of rows. */
static void list_probes(struct probe p)
{
	for (uint32_t k = 0; k < sizeof(bytes_0) / sizeof(bytes_0[0]); k++) {
		p.c1 = 2;
		p.row = ROW;
		add_probe(p, bytes_0[k]);
	}
	for (p.c1 = -2; p.c1 <= 6; p.c1 += 8) {
		add_probe(p, 0);
		add_probe(p, 16);
	}
	p.c1 = 2;
	p.row = RAGGED;
	add_probe(p, 32);
}

int main(void)
{
	pid_t children[CHILDREN];

	for (uint32_t cuda = 0; cuda < 2; cuda++)
		for (int o = 0; o < OPERATIONS; o++)
			for (uint32_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
				list_probes((struct probe){.type = &types[t],
							   .operation = (enum operation)o,
							   .like_cuda = cuda});
	for (unsigned k = 0; k < probe_count + CHILDREN; k++) {
		int status;

		if (k >= CHILDREN && k - CHILDREN < probe_count) {
			waitpid(children[k % CHILDREN], &status, 0);
			report(&probes[k - CHILDREN], status);
		}
		fflush(stdout);
		if (k < probe_count && !(children[k % CHILDREN] = fork()))
			exit(run(&probes[k]));
	}
	printf("tensor_coordinates: %u copies\n", probe_count);
	return 0;
}
