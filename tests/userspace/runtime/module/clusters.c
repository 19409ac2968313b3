// SPDX-License-Identifier: MIT
/*
 * Clusters through the public API: the shape of a launch and of a kernel, graphs, launches that do
 * not fit, and accesses to shared memory of blocks that do not exist or have exited.
 */
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

#define HEADER ".version 8.0\n.target sm_90\n.address_size 64\n"
#define KERNEL(name, directives, body) \
	".visible .entry " name "(.param .u64 p)" directives " {\n" \
	"	.reg .pred %p<4>;\n	.reg .b32 %r<8>;\n	.reg .b64 %a<8>;\n" \
	"	.shared .align 8 .b32 word[4];\n" \
	"	ld.param.u64 %a1, [p];\n" body "	ret;\n}\n"

/* Each block adds its rank and 1 to the word of block 0, which stores the sum and its shape. */
#define SUM \
	"	mov.u32 %r1, %cluster_ctarank;\n" \
	"	st.shared.u32 [word], 0;\n" \
	"	barrier.cluster.arrive;\n	barrier.cluster.wait;\n" \
	"	mapa.shared::cluster.u32 %r2, word, 0;\n" \
	"	add.u32 %r3, %r1, 1;\n" \
	"	red.shared::cluster.add.u32 [%r2], %r3;\n" \
	"	barrier.cluster.arrive;\n	barrier.cluster.wait;\n" \
	"	mov.u32 %r4, %ctaid.y;\n	mov.u32 %r5, %nctaid.x;\n" \
	"	mov.u32 %r6, %ctaid.x;\n	mad.lo.u32 %r4, %r4, %r5, %r6;\n" \
	"	mad.wide.u32 %a2, %r4, 4, %a1;\n" \
	"	ld.shared::cluster.u32 %r3, [%r2];\n" \
	"	mov.u32 %r4, %cluster_nctaid.x;\n	mad.lo.u32 %r3, %r4, 1000, %r3;\n" \
	"	mov.u32 %r4, %nclusterid.y;\n	mad.lo.u32 %r3, %r4, 100000, %r3;\n" \
	"	st.global.u32 [%a2], %r3;\n" \
	"	barrier.cluster.arrive;\n	barrier.cluster.wait;\n"

#define ACCESS(rank, offset) \
	"	mapa.shared::cluster.u32 %r2, word, " rank ";\n" \
	"	ld.shared::cluster.u32 %r3, [%r2+" offset "];\n	st.global.u32 [%a1], %r3;\n"

static const char ptx[] = HEADER KERNEL("sum", "", SUM) KERNEL("pair",
							       " .reqnctapercluster 2, 1, 1", SUM)
	KERNEL("explicit", " .explicitcluster", SUM) KERNEL("few", " .maxclusterrank 2", SUM)
		KERNEL("absent", " .reqnctapercluster 2", ACCESS("5", "0"))
			KERNEL("beyond", " .reqnctapercluster 2", ACCESS("1", "4096"));

/* gone: block 1 ends at once, which the barrier of the cluster waits for. */
static const char faults_ptx[] =
	HEADER KERNEL("gone", " .reqnctapercluster 2",
		      "	mov.u32 %r1, %cluster_ctarank;\n	setp.ne.u32 %p1, %r1, 0;\n"
		      "	@%p1 ret;\n"
		      "	barrier.cluster.arrive;\n	barrier.cluster.wait;\n" ACCESS("1", "0"))
		KERNEL("stuck", " .reqnctapercluster 2",
		       "	mov.u32 %r1, %cluster_ctarank;\n	setp.ne.u32 %p1, %r1, 0;\n"
		       "	barrier.cluster.arrive;\n	@%p1 bra other;\n	"
		       "barrier.cluster.wait;\n"
		       "	ret;\nother:\n	bar.sync 1, 64;\n")
			KERNEL("foreign", " .reqnctapercluster 2",
			       "	mapa.shared::cluster.u32 %r2, word, 1;\n"
			       "	mapa.shared::cluster.u32 %r3, word, 0;\n"
			       "	mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 0;\n"
			       "	mbarrier.test_wait.parity.shared.b64 %p1, [%r3], 0;\n")
				KERNEL("divided", " .reqnctapercluster 2",
				       "	mapa.shared::cluster.u32 %r2, word, 1;\n"
				       "	mapa.shared::cluster.u32 %r3, word, 0;\n"
				       "	st.async.shared::cluster.mbarrier::complete_tx"
				       "::bytes.u32 [%r2], %r3, [%r3];\n");

/* A kernel without parameters, whose constants end where those of others begin. */
static const char plain_ptx[] =
	HEADER ".global .u32 seen;\n.visible .entry plain() {\n"
	       "	.reg .b32 %r<4>;\n	.reg .pred %p;\n"
	       "	mov.pred %p, %is_explicit_cluster;\n	selp.u32 %r1, 100, 0, %p;\n"
	       "	mov.u32 %r2, %cluster_nctarank;\n	add.u32 %r1, %r1, %r2;\n"
	       "	barrier.cluster.arrive;\n	barrier.cluster.wait;\n"
	       "	st.global.u32 [seen], %r1;\n	ret;\n}\n";

static sov_context c;
static sov_ptr p;

static sov_launch shaped(uint32_t x, uint32_t y, uint32_t cx, uint32_t cy, const void **arguments)
{
	sov_launch l = SOV_INIT(sov_launch);

	l.grid[0] = x, l.grid[1] = y, l.grid[2] = 1;
	l.block[0] = 1, l.block[1] = l.block[2] = 1;
	l.cluster[0] = cx, l.cluster[1] = cy, l.cluster[2] = cx ? 1 : 0;
	arguments[0] = &p;
	l.arguments = arguments;
	l.argument_count = 1;
	return l;
}

static sov_result run(sov_function f, uint32_t x, uint32_t y, uint32_t cx, uint32_t cy)
{
	const void *arguments[1];
	sov_launch l = shaped(x, y, cx, cy, arguments);

	return sov_function_launch(f, &l);
}

/* Whether each of the blocks stored this value. */
static bool stored(uint32_t blocks, uint32_t want)
{
	uint32_t got[16], i;

	MUST(sov_context_wait(c, 10 * SECOND));
	MUST(sov_memory_copy(c, SOV_HOST(got), p, sizeof(got)));
	for (i = 0; i < blocks && got[i] == want; i++)
		;
	if (i < blocks)
		diag("block %u stored %u, not %u", i, got[i], want);
	return i == blocks;
}

static void shapes(sov_module m)
{
	sov_function sum, pair, explicit_, few;

	MUST(sov_module_get_function(m, "sum", &sum));
	MUST(sov_module_get_function(m, "pair", &pair));
	MUST(sov_module_get_function(m, "explicit", &explicit_));
	MUST(sov_module_get_function(m, "few", &few));
	ok(!run(sum, 8, 1, 4, 1) && stored(8, 104010), "the launch's clusters of 4 blocks run");
	ok(!run(sum, 4, 4, 2, 2) && stored(16, 202010), "clusters of 2 x 2 blocks run");
	ok(!run(sum, 8, 1, 8, 1) && stored(8, 108036), "clusters of 8 blocks run");
	ok(!run(sum, 3, 1, 0, 0) && stored(3, 101001),
	   "after that, a launch without clusters has clusters of one block");
	ok(!run(sum, 3, 2, 1, 1) && stored(6, 201001), "clusters of one block run");
	ok(!run(pair, 4, 1, 0, 0) && stored(4, 102003), "the kernel's own clusters run");
	ok(!run(pair, 4, 1, 2, 1) && stored(4, 102003), "a launch may state the kernel's shape");
	ok(!run(few, 4, 1, 2, 1) && stored(4, 102003), "a cluster of the kernel's maximum runs");
#define WRONG(part, promise, ...) refused(run(__VA_ARGS__), SOV_ERROR_INVALID_LAUNCH, part, promise)
	WRONG("grid x is 6; it must be a multiple of the cluster's 4",
	      "a grid that is no multiple of its clusters is rejected", sum, 6, 1, 4, 1);
	WRONG("a cluster of 9 x 1 x 1 has 9 blocks; sm_90 allows at most 8",
	      "a cluster of more than 8 blocks is rejected", sum, 9, 1, 9, 1);
	WRONG("cluster y is 0; it must be at least 1", "a cluster of 0 in y is rejected", sum, 2, 1,
	      2, 0);
	WRONG("kernel 'pair' requires clusters of 2 x 1 x 1 blocks, not 4 x 1 x 1; use these",
	      "clusters of another shape than the kernel's are rejected", pair, 4, 1, 4, 1);
	WRONG("grid x is 3; it must be a multiple of the cluster's 2",
	      "a grid that is no multiple of the kernel's clusters is rejected", pair, 3, 1, 0, 0);
	WRONG("a cluster of 4 x 1 x 1 has 4 blocks; kernel 'few' allows at most 2",
	      "a cluster above the kernel's maximum is rejected", few, 4, 1, 4, 1);
	WRONG("kernel 'explicit' must be launched with clusters; state their shape",
	      "a launch without the clusters that its kernel needs is rejected", explicit_, 4, 1, 0,
	      0);
}

static void without_parameters(void)
{
	sov_launch l = SOV_INIT(sov_launch);
	uint32_t got[2] = {0, 0};
	sov_function f;
	sov_module m;
	sov_ptr at;

	MUST(sov_module_load(c, plain_ptx, sizeof(plain_ptx) - 1, NULL, &m));
	MUST(sov_module_get_function(m, "plain", &f));
	MUST(sov_module_get_variable(m, "seen", &at, NULL));
	for (uint32_t i = 0; i < 512; i++) { /* more launches than a stream has slots */
		l.grid[0] = 2, l.grid[1] = l.grid[2] = 1;
		l.block[0] = l.block[1] = l.block[2] = 1;
		l.cluster[0] = i < 256 ? 2 : 0;
		l.cluster[1] = l.cluster[2] = i < 256;
		MUST(sov_function_launch(f, &l));
		if (i % 256 == 255) {
			MUST(sov_context_wait(c, 10 * SECOND));
			MUST(sov_memory_copy(c, SOV_HOST(&got[i / 256]), at, 4));
		}
	}
	ok(got[0] == 102 && got[1] == 1,
	   "a kernel without parameters sees the clusters of its own launch: %u, %u", got[0],
	   got[1]);
	MUST(sov_module_unload(m));
}

static void graph(sov_module m)
{
	const void *arguments[1];
	sov_launch l = shaped(4, 1, 2, 1, arguments), plain = shaped(4, 1, 0, 0, arguments);
	sov_graph_exec exec;
	sov_function f;
	sov_graph g;
	sov_node node;

	MUST(sov_module_get_function(m, "sum", &f));
	MUST(sov_graph_create(c, 0, &g));
	MUST(sov_graph_add_kernel(g, NULL, 0, f, &plain, &node));
	MUST(sov_graph_add_kernel(g, &node, 1, f, &l, &node));
	MUST(sov_graph_instantiate(g, &exec));
	MUST(sov_graph_launch(exec, NULL));
	ok(stored(4, 102003), "a kernel node of a graph runs with clusters");
	MUST(sov_graph_exec_destroy(exec));
	MUST(sov_graph_destroy(g));
}

static void fault(sov_module m, const char *name, const char *part, const char *promise)
{
	sov_function f;

	MUST(sov_module_get_function(m, name, &f));
	MUST(run(f, 2, 1, 0, 0));
	refused(sov_context_wait(c, 10 * SECOND), SOV_ERROR_FAULT, part, promise);
	MUST(sov_context_reset(c));
}

/* Reverses the lanes of a block through shared memory; the source does not name clusters. */
static const char reverse_ptx[] = HEADER
	".visible .entry reverse(.param .u64 p) {\n	.reg .b32 %r<8>;\n	.reg .b64 %a<4>;\n"
	"	.shared .b32 lanes[4];\n	ld.param.u64 %a1, [p];\n"
	"	mov.u32 %r1, %tid.x;\n	mov.u32 %r2, %ctaid.x;\n"
	"	mov.u32 %r3, lanes;\n	mad.lo.u32 %r4, %r1, 4, %r3;\n"
	"	mad.lo.u32 %r5, %r2, 10, %r1;\n	st.shared.u32 [%r4], %r5;\n"
	"	bar.sync 0;\n	sub.u32 %r6, 3, %r1;\n	mad.lo.u32 %r4, %r6, 4, %r3;\n"
	"	ld.shared.u32 %r5, [%r4];\n	mad.lo.u32 %r6, %r2, 4, %r1;\n"
	"	mad.wide.u32 %a2, %r6, 4, %a1;\n	st.global.u32 [%a2], %r5;\n	ret;\n}\n";

static void unnamed_clusters(void)
{
	static const uint32_t want[8] = {3, 2, 1, 0, 13, 12, 11, 10};
	sov_module_options o = SOV_INIT(sov_module_options);
	sov_launch l = SOV_INIT(sov_launch);
	const void *arguments[1] = {&p};
	uint32_t got[8] = {0};
	sov_function f;
	sov_module m;

	o.flags = SOV_MODULE_CLUSTERS;
	MUST(sov_module_load(c, reverse_ptx, sizeof(reverse_ptx) - 1, &o, &m));
	MUST(sov_module_get_function(m, "reverse", &f));
	l.grid[0] = l.cluster[0] = 2;
	l.grid[1] = l.grid[2] = l.cluster[1] = l.cluster[2] = l.block[1] = l.block[2] = 1;
	l.block[0] = 4;
	l.arguments = arguments;
	l.argument_count = 1;
	MUST(sov_function_launch(f, &l));
	MUST(sov_context_wait(c, 10 * SECOND));
	MUST(sov_memory_copy(c, SOV_HOST(got), p, sizeof(got)));
	ok(!memcmp(got, want, sizeof(got)),
	   "with SOV_MODULE_CLUSTERS a kernel that names no clusters runs in them");
	MUST(sov_module_unload(m));
}

static void large_clusters(sov_module m)
{
	const void *arguments[1];
	sov_launch l = shaped(16, 1, 16, 1, arguments);
	sov_function f;

	MUST(sov_module_get_function(m, "sum", &f));
	refused(sov_function_launch(f, &l), SOV_ERROR_INVALID_LAUNCH,
		"has 16 blocks; sm_90 allows at most 8, with SOV_LAUNCH_LARGE_CLUSTER 16",
		"a cluster of 16 blocks is rejected unless the launch asks for it");
	l.flags = SOV_LAUNCH_LARGE_CLUSTER;
	MUST(sov_function_launch(f, &l));
	/* 1 + 2 + ... + 16, 1000 for each block of the cluster, 100000 for one cluster in y */
	ok(stored(16, 116136), "with SOV_LAUNCH_LARGE_CLUSTER clusters of 16 blocks run");
	l = shaped(17, 1, 17, 1, arguments);
	l.flags = SOV_LAUNCH_LARGE_CLUSTER;
	refused(sov_function_launch(f, &l), SOV_ERROR_INVALID_LAUNCH,
		"has 17 blocks; sm_90 allows at most 16", "a cluster of 17 blocks is rejected");
}

/* 132 SMs are 66 TPCs: six GPCs with 8 of them and two with 9. */
static void occupancy(sov_module m)
{
	static const struct {
		uint32_t cluster[3], threads, shared, clusters;
	} rows[] = {
		{{1, 1, 1}, 1024, 0, 264},     {{2, 1, 1}, 1024, 0, 132},
		{{4, 2, 1}, 1024, 0, 32},      {{2, 2, 4}, 1024, 0, 16},
		{{2, 1, 1}, 1024, 220000, 66}, {{5, 1, 1}, 1024, 220000, 24},
		{{16, 1, 1}, 32, 220000, 8},   {{17, 1, 1}, 32, 0, 0},
		{{2, 1, 1}, 1025, 0, 0},
	};
	uint32_t got = 0;
	sov_function f;

	MUST(sov_module_get_function(m, "sum", &f));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		MUST(sov_function_get_cluster_occupancy(f, rows[i].cluster, rows[i].threads,
							rows[i].shared, &got));
		ok(got == rows[i].clusters,
		   "clusters of %u x %u x %u blocks with %u threads and %u bytes: %u fit",
		   rows[i].cluster[0], rows[i].cluster[1], rows[i].cluster[2], rows[i].threads,
		   rows[i].shared, got);
	}
	refused(sov_function_get_cluster_occupancy(f, (uint32_t[]){2, 0, 1}, 32, 0, &got),
		SOV_ERROR_INVALID_ARGUMENT, "a cluster of 2 x 0 x 1 has no blocks",
		"the occupancy of clusters without blocks is an error");
}

static void hopper(const char *device)
{
	sov_module m, faults;

	c = context_on(device, 10 * SECOND);
	MUST(sov_module_load(c, ptx, sizeof(ptx) - 1, NULL, &m));
	MUST(sov_module_load(c, faults_ptx, sizeof(faults_ptx) - 1, NULL, &faults));
	MUST(sov_memory_alloc(c, 64, &p));
	shapes(m);
	without_parameters();
	graph(m);
	unnamed_clusters();
	large_clusters(m);
	occupancy(m);
	fault(m, "absent", "the cluster has 2 blocks, and the address names block 5",
	      "an access to a block that the cluster does not have is a fault");
	fault(m, "beyond", "outside the block's shared memory",
	      "an access beyond the shared memory of another block is a fault");
	fault(faults, "gone", "block 1 of the cluster has exited",
	      "an access to a block that has exited is a fault");
	fault(faults, "stuck", "deadlock in the block",
	      "blocks of a cluster that wait for ever are a fault");
	fault(faults, "foreign", "of the cluster, not in its own block",
	      "a wait for a barrier of another block is a fault");
	fault(faults, "divided", "are in different blocks of the cluster",
	      "an asynchronous store whose barrier is in another block is a fault");
	MUST(sov_context_destroy(c));
}

static void ampere(const char *device)
{
	static const char one[] = PTX_HEADER KERNEL("sum", "", SUM);
	sov_function f;
	sov_module m;

	c = context_on(device, 10 * SECOND);
	MUST(sov_module_load(c, one, sizeof(one) - 1, NULL, &m));
	MUST(sov_module_get_function(m, "sum", &f));
	MUST(sov_memory_alloc(c, 64, &p));
	ok(!run(f, 3, 1, 1, 1) && stored(3, 101001),
	   "on a chip without clusters, clusters of one block run");
	refused(run(f, 2, 1, 2, 1), SOV_ERROR_UNSUPPORTED,
		"a cluster of 2 x 1 x 1 has 2 blocks; sm_80 allows at most 1",
		"on a chip without clusters, clusters of two blocks are rejected");
	MUST(sov_context_destroy(c));
}

int main(void)
{
	soft_gpus("gh100:vram=1G,gh100:vram=1G:hazard,ga100:vram=1G");
	hopper("gh100.0");
	hopper("gh100.1");
	ampere("ga100.0");
	return tap_done();
}
