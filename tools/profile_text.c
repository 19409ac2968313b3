// SPDX-License-Identifier: MIT
/* A profile as tables: for each kernel what matters as a whole, then its lines, the most executed
 * first. */
#include <string.h>
#include "tools/profile.h"

typedef unsigned long long ull;

static double ratio(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 0;
}

static void print_row_name(FILE *out, const char *name)
{
	fprintf(out, "  %-15s ", name);
}

static void print_launches(FILE *out, const struct profile_kernel *k)
{
	fprintf(out, "%s on %s (%s), %llu launch%s", k->shown, k->device, k->target,
		(ull)k->launches, k->launches == 1 ? "" : "es");
	if (k->shape_count) {
		const struct profile_shape *s = k->shapes;

		fprintf(out, ", %sgrid %u,%u,%u block %u,%u,%u", k->shape_count > 1 ? "most " : "",
			s->grid[0], s->grid[1], s->grid[2], s->block[0], s->block[1], s->block[2]);
	}
	fputc('\n', out);
}

static void print_instructions(FILE *out, const struct profile_kernel *k)
{
	const char *separator = "";

	print_row_name(out, "instructions");
	fprintf(out, "%llu by warps, %llu by threads\n", (ull)k->total.executed,
		(ull)k->total.threads);
	if (k->called.executed) {
		print_row_name(out, "");
		fprintf(out, "and %llu by warps in device services\n", (ull)k->called.executed);
	}
	print_row_name(out, "pipes");
	for (uint32_t i = 0; i < PIPES; i++) {
		if (!k->by_pipe[i])
			continue;
		fprintf(out, "%s%s %.1f %%", separator, pipe_names[i],
			100 * ratio(k->by_pipe[i], k->total.executed));
		separator = ", ";
	}
	fputc('\n', out);
}

static void print_divergence(FILE *out, const struct profile_kernel *k)
{
	print_row_name(out, "divergence");
	fprintf(out, "%.2f of 32 lanes active, %.2f after predicates; %llu divergent branch%s\n",
		ratio(k->total.lanes, k->total.executed),
		ratio(k->total.threads, k->total.executed), (ull)k->total.divergent,
		k->total.divergent == 1 ? "" : "es");
}

static void print_memory(FILE *out, const struct profile_kernel *k)
{
	const struct counts *n = &k->total;

	print_row_name(out, "global memory");
	if (n->global_requests)
		fprintf(out,
			"%llu requests, %.2f sectors each, %.2f needed (%.0f %%); %llu bytes "
			"touched%s\n",
			(ull)n->global_requests, ratio(n->global_sectors, n->global_requests),
			ratio(n->global_ideal, n->global_requests),
			100 * ratio(n->global_ideal, n->global_sectors),
			(ull)k->touched_sectors * SECTOR_BYTES, k->incomplete ? " or more" : "");
	else
		fprintf(out, "none\n");
	print_row_name(out, "shared memory");
	if (n->shared_requests)
		fprintf(out,
			"%llu requests, %.2f wavefronts each, %.2f needed; %llu of conflicts\n",
			(ull)n->shared_requests, ratio(n->shared_wavefronts, n->shared_requests),
			ratio(n->shared_ideal, n->shared_requests),
			(ull)(n->shared_wavefronts - n->shared_ideal));
	else
		fprintf(out, "none\n");
	if (n->local_requests) {
		print_row_name(out, "local memory");
		fprintf(out, "%llu requests, %llu bytes (spilled registers, stack)\n",
			(ull)n->local_requests, (ull)n->local_bytes);
	}
}

static void print_blocks(FILE *out, const char *name, uint32_t blocks)
{
	if (blocks == UINT32_MAX)
		fprintf(out, "%s no limit", name);
	else
		fprintf(out, "%s %u", name, blocks);
}

static void print_limits(FILE *out, const struct profile_kernel *k)
{
	const struct model_chip *c = profile_chip(k);
	struct time_bound t;
	struct occupancy o;
	struct peaks p;

	if (c && k->shape_count) {
		occupancy_of(c, k->shapes, &o);
		print_row_name(out, "occupancy");
		fprintf(out, "%u of %u warps, limited by %s\n", o.warps, o.max_warps, o.limit);
		print_row_name(out, "");
		print_blocks(out, "blocks by threads", o.by_warps);
		print_blocks(out, ", registers", o.by_registers);
		print_blocks(out, ", shared memory", o.by_shared);
		print_blocks(out, ", hardware", o.by_blocks);
		fprintf(out, "; %u registers, %u bytes of shared memory\n", k->shapes->registers,
			k->shapes->shared_bytes);
	}
	if (!c || !peaks_of(c, &p) || !time_bound_of(k, &t))
		return;
	print_row_name(out, "time at least");
	fprintf(out, "%.3f us by %s%s%s", t.most, limit_names[t.limit],
		t.limit == LIMIT_PIPE ? " " : "", t.limit == LIMIT_PIPE ? pipe_names[t.pipe] : "");
	fprintf(out, " (issue %.3f, pipe %s %.3f, banks %.3f, memory %.3f)\n", t.us[LIMIT_ISSUE],
		pipe_names[t.pipe], t.us[LIMIT_PIPE], t.us[LIMIT_BANKS], t.us[LIMIT_MEMORY]);
	print_row_name(out, "roofline");
	if (t.flops > 0 && t.bytes > 0)
		fprintf(out,
			"%.3g flop/byte, %s; %s has %.0f Gflop/s and %.0f GB/s: the ridge is "
			"at %.3g\n",
			t.intensity, precision_names[t.precision], p.product, p.gflops[t.precision],
			p.gbytes, p.gflops[t.precision] / p.gbytes);
	else
		fprintf(out, "%.0f floating-point operations, %.0f bytes of global memory\n",
			t.flops, t.bytes);
}

/* ---- lines ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Colours by share, where text may have them. */
static const char *heat(double share)
{
	return share >= .2 ? "\033[31m" : share >= .05 ? "\033[33m" : "";
}

static void print_line(FILE *out, const struct profile_kernel *k, const struct profile_line *l,
		       bool colour)
{
	const struct profile_site *s = &k->sites[l->first];
	double share = ratio(l->counts.executed, k->total.executed);
	char place[64], sectors[16] = "", waves[16] = "";

	if (l->line)
		snprintf(place, sizeof(place), "%s:%u", base_name(l->file), l->line);
	else
		snprintf(place, sizeof(place), "+0x%x", s->offset);
	if (l->counts.global_requests)
		snprintf(sectors, sizeof(sectors), "%.2f",
			 ratio(l->counts.global_sectors, l->counts.global_requests));
	if (l->counts.shared_requests)
		snprintf(waves, sizeof(waves), "%.2f",
			 ratio(l->counts.shared_wavefronts, l->counts.shared_requests));
	fprintf(out, "  %s%13llu %6.1f%%%s %7.2f %9s %8s  %s%s%s\n", colour ? heat(share) : "",
		(ull)l->counts.executed, 100 * share, colour && *heat(share) ? "\033[0m" : "",
		ratio(l->counts.lanes, l->counts.executed), sectors, waves, place,
		l->line && !l->text ? "" : "  ", l->line ? l->text ? l->text : "" : s->inst.text);
}

static void print_kernel(FILE *out, const struct profile_kernel *k, uint32_t lines)
{
	uint32_t count = lines && lines < k->line_count ? lines : k->line_count;

	print_launches(out, k);
	print_instructions(out, k);
	print_divergence(out, k);
	print_memory(out, k);
	print_limits(out, k);
	if (k->incomplete)
		fprintf(out, "  host memory ran out while counting: the figures are too small\n");
	fprintf(out, "\n  %13s %7s %7s %9s %8s  %s\n", "executed", "share", "lanes", "sect/req",
		"wave/req", k->row_count ? "line" : "instruction");
	for (uint32_t i = 0; i < count; i++)
		print_line(out, k, &k->lines[i], has_colour(out));
	if (count < k->line_count)
		fprintf(out, "  and %u more: --lines 0 shows all\n", k->line_count - count);
}

void profile_print(FILE *out, const struct profile *p, uint32_t lines)
{
	for (uint32_t i = 0; i < p->kernel_count; i++) {
		if (i)
			fputc('\n', out);
		print_kernel(out, &p->kernels[i], lines);
	}
	if (!p->kernel_count)
		fprintf(out, "no kernel was launched on a software GPU that counts\n");
	if (p->lost)
		fprintf(out, "\n%llu launches belong to no known kernel\n", (ull)p->lost);
}
