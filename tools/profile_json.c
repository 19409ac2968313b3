// SPDX-License-Identifier: MIT
/* A profile as JSON, which is also the data of the page. */
#include <string.h>
#include "tools/profile.h"

static void json_decimal(struct json *j, const char *key, double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.6g", value);
	json_raw(j, key, text);
}

static void print_counts(struct json *j, const char *key, const struct counts *n)
{
	json_object(j, key);
#define COUNT_JSON(name) \
	if (n->name) \
		json_u64(j, #name, n->name);
	COUNTS(COUNT_JSON)
#undef COUNT_JSON
	json_end_object(j);
}

static void print_shapes(struct json *j, const struct profile_kernel *k)
{
	const struct model_chip *c = profile_chip(k);

	json_array(j, "shapes");
	for (uint32_t i = 0; i < k->shape_count; i++) {
		const struct profile_shape *s = &k->shapes[i];
		struct occupancy o;

		json_object(j, NULL);
		json_u64(j, "launches", s->launches);
		json_triple(j, "grid", s->grid);
		json_triple(j, "block", s->block);
		json_u64(j, "cluster_blocks", s->cluster_blocks);
		json_u64(j, "registers", s->registers);
		json_u64(j, "shared_bytes", s->shared_bytes);
		json_u64(j, "local_bytes", s->local_bytes);
		if (c) {
			occupancy_of(c, s, &o);
			json_object(j, "occupancy");
			json_u64(j, "warps", o.warps);
			json_u64(j, "max_warps", o.max_warps);
			json_u64(j, "blocks", o.blocks);
			json_u64(j, "by_threads", o.by_warps);
			if (o.by_registers != UINT32_MAX)
				json_u64(j, "by_registers", o.by_registers);
			if (o.by_shared != UINT32_MAX)
				json_u64(j, "by_shared", o.by_shared);
			if (o.by_blocks != UINT32_MAX)
				json_u64(j, "by_hardware", o.by_blocks);
			json_string(j, "limit", o.limit);
			json_end_object(j);
		}
		json_end_object(j);
	}
	json_end_array(j);
}

static void print_limits(struct json *j, const struct profile_kernel *k)
{
	const struct model_chip *c = profile_chip(k);
	struct time_bound t;
	struct peaks p;

	if (!c || !peaks_of(c, &p) || !time_bound_of(k, &t))
		return;
	json_object(j, "peaks");
	json_string(j, "product", p.product);
	json_string(j, "source", p.source);
	json_decimal(j, "mhz", p.mhz);
	json_decimal(j, "gbytes_per_s", p.gbytes);
	json_object(j, "gflops");
	for (uint32_t i = 0; i < PRECISIONS; i++)
		if (p.gflops[i] > 0)
			json_decimal(j, precision_names[i], p.gflops[i]);
	json_end_object(j);
	json_end_object(j);
	json_object(j, "time_bound");
	json_decimal(j, "us", t.most);
	json_string(j, "limit", limit_names[t.limit]);
	json_string(j, "busiest_pipe", pipe_names[t.pipe]);
	json_decimal(j, "issue_us", t.us[LIMIT_ISSUE]);
	json_decimal(j, "pipe_us", t.us[LIMIT_PIPE]);
	json_decimal(j, "banks_us", t.us[LIMIT_BANKS]);
	json_decimal(j, "memory_us", t.us[LIMIT_MEMORY]);
	json_end_object(j);
	json_object(j, "roofline");
	json_decimal(j, "flops", t.flops);
	json_decimal(j, "bytes", t.bytes);
	json_decimal(j, "flops_per_byte", t.intensity);
	json_string(j, "precision", precision_names[t.precision]);
	json_end_object(j);
}

static void print_place(struct json *j, const char *file, uint32_t line)
{
	if (!line)
		return;
	json_string(j, "file", file);
	json_u64(j, "line", line);
}

static void print_code(struct json *j, const struct profile_kernel *k)
{
	json_array(j, "lines");
	for (uint32_t i = 0; i < k->line_count && k->row_count; i++) {
		const struct profile_line *l = &k->lines[i];

		if (!l->line)
			continue;
		json_object(j, NULL);
		print_place(j, l->file, l->line);
		if (l->text)
			json_string(j, "text", l->text);
		print_counts(j, "counts", &l->counts);
		json_end_object(j);
	}
	json_end_array(j);
	json_array(j, "instructions");
	for (uint32_t i = 0; i < k->site_count; i++) {
		const struct profile_site *s = &k->sites[i];

		json_object(j, NULL);
		json_u64(j, "offset", s->offset);
		json_string(j, "text", s->inst.text);
		json_string(j, "pipe", pipe_names[s->inst.pipe]);
		print_place(j, s->file, s->line);
		print_counts(j, "counts", &s->counts);
		json_end_object(j);
	}
	json_end_array(j);
}

static void print_kernel(struct json *j, const struct profile_kernel *k)
{
	json_object(j, NULL);
	json_string(j, "name", k->shown);
	json_string(j, "symbol", k->name);
	json_string(j, "device", k->device);
	json_string(j, "target", k->target);
	json_u64(j, "launches", k->launches);
	json_bool(j, "incomplete", k->incomplete);
	print_counts(j, "counts", &k->total);
	if (k->called.executed)
		print_counts(j, "device_services", &k->called);
	json_u64(j, "touched_bytes", k->touched_sectors * SECTOR_BYTES);
	json_object(j, "pipes");
	for (uint32_t i = 0; i < PIPES; i++)
		if (k->by_pipe[i])
			json_u64(j, pipe_names[i], k->by_pipe[i]);
	json_end_object(j);
	json_object(j, "flops");
	for (uint32_t i = 0; i < PRECISIONS; i++)
		if (k->flops[i] > 0)
			json_decimal(j, precision_names[i], k->flops[i]);
	json_end_object(j);
	print_shapes(j, k);
	print_limits(j, k);
	print_code(j, k);
	json_end_object(j);
}

void profile_print_json(FILE *out, const struct profile *p)
{
	struct json j = {.out = out};

	json_object(&j, NULL);
	json_u64(&j, "processes", p->processes);
	json_u64(&j, "launches_of_no_kernel", p->lost);
	json_array(&j, "kernels");
	for (uint32_t i = 0; i < p->kernel_count; i++)
		print_kernel(&j, &p->kernels[i]);
	json_end_array(&j);
	json_end_object(&j);
}
