// SPDX-License-Identifier: MIT
/* Launches of the matrix products: checks of shapes, tensor maps, grids. */
#include <inttypes.h>
#include <stdio.h>
#include "libsov/kernels/gemm/gemm.h"

/* As the device code has them. */
static const struct shape {
	sov_tensor_type element;
	uint32_t element_bytes, columns; /* columns: n is a multiple of it */
	uint32_t rows_a, rows_b;         /* of a box */
	uint32_t tile_m, tile_n;         /* of a cluster */
	uint32_t cluster, threads, stages, stage_bytes;
} shapes[GEMM_TYPES] = {
	[GEMM_F16] = {SOV_TENSOR_F16, 2, 8, 128, 128, 256, 256, 2, 384, 4, 128 * (128 + 256)},
	[GEMM_TF32] = {SOV_TENSOR_F32, 4, 2, 128, 128, 256, 256, 2, 384, 4, 128 * (128 + 256)},
	[GEMM_F64] = {SOV_TENSOR_F64, 8, 2, 128, 128, 128, 128, 1, 256, 6, 128 * (128 + 128)},
};

#define ROW_BYTES     128u /* of a stage: the swizzle's width */
#define ALIGNMENT     1024u
#define BARRIER_BYTES 16u /* of a stage: full and empty */
#define PITCH_BYTES   16u /* tensor maps have strides in these units */
#define MAX_SIZE      (UINT32_C(1) << 31)

const char *const gemm_files[GEMM_TYPES] = {"wgmma", "wgmma", "doubles"};
const char *const gemm_kernels[GEMM_TYPES] = {"gemm_f16", "gemm_tf32", "gemm_f64"};

static bool check_size(const char *name, uint32_t size, uint32_t unit, char *why)
{
	if (size && size <= MAX_SIZE && !(size % unit))
		return true;
	snprintf(why, GEMM_WHY,
		 "%s is %" PRIu32 "; it must be a multiple of %" PRIu32 " from %" PRIu32 " to 2^31",
		 name, size, unit, unit);
	return false;
}

static bool check_matrix(const char *name, sov_ptr at, uint64_t pitch, uint32_t row,
			 uint32_t element, char *why)
{
	if (!at || at % PITCH_BYTES) {
		snprintf(why, GEMM_WHY,
			 "%s is at 0x%" PRIx64 "; it must be at a multiple of %u that is not 0",
			 name, at, PITCH_BYTES);
		return false;
	}
	if (pitch < row || pitch * element % PITCH_BYTES || pitch >> 32) {
		snprintf(why, GEMM_WHY,
			 "pitch_%s is %" PRIu64 "; it must be at least %" PRIu32
			 ", below 2^32, and a multiple of %u",
			 name, pitch, row, PITCH_BYTES / element);
		return false;
	}
	return true;
}

static bool check(const struct gemm *g, uint32_t multiprocessors, char *why)
{
	const struct shape *s = &shapes[g->type];

	if (multiprocessors < s->cluster) {
		snprintf(why, GEMM_WHY,
			 "the device has %" PRIu32 " multiprocessors; the kernel needs %" PRIu32,
			 multiprocessors, s->cluster);
		return false;
	}
	return check_size("m", g->m, 1, why) && check_size("n", g->n, s->columns, why) &&
	       check_size("k", g->k, 1, why) &&
	       check_matrix("a", g->a, g->pitch_a, g->k, s->element_bytes, why) &&
	       check_matrix("b", g->b, g->pitch_b, g->k, s->element_bytes, why) &&
	       check_matrix("c", g->c, g->pitch_c, g->n, s->element_bytes, why);
}

static bool encode_map(const struct shape *s, sov_ptr at, uint64_t pitch, uint32_t rows, uint32_t k,
		       uint32_t box_rows, sov_tensor_map *map, char *why)
{
	sov_tensor_map_options o = SOV_INIT(sov_tensor_map_options);

	o.type = s->element;
	o.address = at;
	o.rank = 2;
	o.swizzle = ROW_BYTES;
	o.dimensions[0] = k, o.dimensions[1] = rows;
	o.strides[1] = pitch * s->element_bytes;
	o.box[0] = ROW_BYTES / s->element_bytes, o.box[1] = box_rows;
	if (!sov_tensor_map_encode(&o, map))
		return true;
	snprintf(why, GEMM_WHY, "%s", sov_last_error());
	return false;
}

static uint32_t tiles(uint32_t size, uint32_t tile)
{
	return size / tile + !!(size % tile);
}

bool gemm_plan(const struct gemm *g, uint32_t multiprocessors, struct gemm_launch *plan, char *why)
{
	const struct shape *s;
	uint64_t clusters;

	if ((unsigned)g->type >= GEMM_TYPES) {
		snprintf(why, GEMM_WHY, "type is %d; it must be below %d", (int)g->type,
			 GEMM_TYPES);
		return false;
	}
	s = &shapes[g->type];
	if (!check(g, multiprocessors, why))
		return false;
	clusters = (uint64_t)tiles(g->m, s->tile_m) * tiles(g->n, s->tile_n);
	if (clusters > MAX_SIZE) {
		snprintf(why, GEMM_WHY,
			 "m and n are %" PRIu32 " and %" PRIu32 ", which are %" PRIu64
			 " tiles; at most 2^31 are possible",
			 g->m, g->n, clusters);
		return false;
	}
	if (clusters > multiprocessors / s->cluster)
		clusters = multiprocessors / s->cluster;
	*plan = (struct gemm_launch){.grid = (uint32_t)clusters * s->cluster,
				     .block = s->threads,
				     .cluster = s->cluster};
	plan->shared_bytes = ALIGNMENT + s->stages * (s->stage_bytes + BARRIER_BYTES);
	plan->arguments[0] = &plan->map_a, plan->arguments[1] = &plan->map_b;
	plan->arguments[2] = &g->m, plan->arguments[3] = &g->n, plan->arguments[4] = &g->k;
	plan->arguments[5] = &g->c, plan->arguments[6] = &g->pitch_c;
	return encode_map(s, g->a, g->pitch_a, g->m, g->k, s->rows_a, &plan->map_a, why) &&
	       encode_map(s, g->b, g->pitch_b, g->n, g->k, s->rows_b, &plan->map_b, why);
}
