// SPDX-License-Identifier: MIT
/*
 * Stream capture: while a stream captures, its calls become nodes of a graph instead of work. Each
 * capturing stream remembers the nodes that its next one follows; an event that is recorded carries
 * them to another stream, which joins the capture by waiting for the event.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/graph.h"

struct capture {
	CUgraph graph;
	CUstream origin;
	uint64_t id;
	unsigned mode;
	bool invalid, to_existing; /* to_existing: the graph is the program's */
	struct capture *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct capture *active;
static uint64_t last_id;
static __thread unsigned thread_mode; /* of cuThreadExchangeStreamCaptureMode */

static struct capture *find_active(uint64_t id)
{
	struct capture *k;

	pthread_mutex_lock(&lock);
	for (k = active; k && k->id != id;)
		k = k->next;
	pthread_mutex_unlock(&lock);
	return k;
}

static CUresult set_depends(CUgraphNode **depends, uint32_t *count, const CUgraphNode *nodes,
			    uint32_t n)
{
	CUgraphNode *more = realloc(*depends, (n + 1) * sizeof(*more));

	if (!more)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (n)
		memmove(more, nodes, n * sizeof(*nodes));
	*depends = more;
	*count = n;
	return CUDA_SUCCESS;
}

static CUresult add_depends(CUstream s, const CUgraphNode *nodes, uint32_t n)
{
	CUgraphNode *more = realloc(s->depends, (s->depend_count + n + 1) * sizeof(*more));

	if (!more)
		return CUDA_ERROR_OUT_OF_MEMORY;
	s->depends = more;
	for (uint32_t k = 0; k < n; k++) {
		bool known = false;

		for (uint32_t i = 0; i < s->depend_count; i++)
			known |= more[i] == nodes[k];
		if (!known)
			more[s->depend_count++] = nodes[k];
	}
	return CUDA_SUCCESS;
}

CUresult cuda_capture_unsupported(CUstream s)
{
	s->capture->invalid = true;
	return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

/* ---- calls as nodes ---- */

static CUresult capture_node(CUstream s, int type, CUgraphNode *out)
{
	CUresult e;

	if (s->capture->invalid)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	e = cuda_node_add(s->capture->graph, type, s->depends, s->depend_count, out);
	if (!e) {
		(*out)->context = s->context;
		e = set_depends(&s->depends, &s->depend_count, out, 1);
	}
	return e;
}

CUresult cuda_capture_kernel(CUstream s, const struct launch *l, void *const *arguments)
{
	CUgraphNode n;
	CUresult e = capture_node(s, CU_GRAPH_NODE_KERNEL, &n);

	return e ? e : cuda_node_set_kernel(n, l, arguments);
}

CUresult cuda_capture_copy(CUstream s, const CUDA_MEMCPY3D *p)
{
	CUgraphNode n;
	CUresult e = capture_node(s, CU_GRAPH_NODE_MEMCPY, &n);

	if (!e)
		n->u.copy = *p;
	return e;
}

CUresult cuda_capture_fill(CUstream s, const CUDA_MEMSET_NODE_PARAMS *p)
{
	CUgraphNode n;
	CUresult e = capture_node(s, CU_GRAPH_NODE_MEMSET, &n);

	if (!e)
		n->u.fill = *p;
	return e;
}

CUresult cuda_capture_host(CUstream s, CUhostFn function, void *user)
{
	CUgraphNode n;
	CUresult e = capture_node(s, CU_GRAPH_NODE_HOST, &n);

	if (!e)
		n->u.host = (CUDA_HOST_NODE_PARAMS){function, user};
	return e;
}

/* As of cuGraphAddMemAllocNode, the memory is allocated now. */
CUresult cuda_capture_alloc(CUstream s, size_t bytes, CUdeviceptr *out)
{
	CUgraphNode n;
	CUresult e = cuMemAlloc_v2(out, bytes);

	if (!e)
		e = capture_node(s, CU_GRAPH_NODE_MEM_ALLOC, &n);
	if (!e)
		n->u.alloc = (CUDA_MEM_ALLOC_NODE_PARAMS){.bytesize = bytes, .dptr = *out};
	return e;
}

CUresult cuda_capture_free(CUstream s, CUdeviceptr address)
{
	CUgraphNode n;
	CUresult e = capture_node(s, CU_GRAPH_NODE_MEM_FREE, &n);

	if (!e)
		n->u.freed = address;
	return e;
}

CUresult cuda_capture_record(CUstream s, CUevent e)
{
	if (s->capture->invalid)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	e->capture_id = s->capture->id;
	return set_depends(&e->depends, &e->depend_count, s->depends, s->depend_count);
}

CUresult cuda_capture_wait(CUstream s, CUevent e)
{
	struct capture *k;

	if (!e->capture_id) {
		/* Work outside of the capture is not part of the graph. */
		if (!e->recorded)
			return CUDA_SUCCESS;
		s->capture->invalid = true;
		return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
	}
	k = find_active(e->capture_id);
	if (!k)
		return s->capture ? CUDA_ERROR_CAPTURED_EVENT : CUDA_SUCCESS;
	if (s->capture && s->capture != k) {
		s->capture->invalid = k->invalid = true;
		return CUDA_ERROR_STREAM_CAPTURE_MERGE;
	}
	if (s->legacy) {
		k->invalid = true;
		return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
	}
	if (!s->capture) {
		s->capture = k;
		s->depend_count = 0;
		__atomic_fetch_add(&s->context->captures, 1, __ATOMIC_RELAXED);
	}
	return add_depends(s, e->depends, e->depend_count);
}

/* ---- begin and end ---- */

static CUresult begin(CUstream handle, CUgraph graph, const CUgraphNode *depends, size_t count,
		      unsigned mode)
{
	struct capture *k;
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	if (!s)
		return e;
	if (s->legacy)
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (s->capture || mode > 2)
		return s->capture ? CUDA_ERROR_ILLEGAL_STATE : CUDA_ERROR_INVALID_VALUE;
	k = calloc(1, sizeof(*k));
	if (!k)
		return CUDA_ERROR_OUT_OF_MEMORY;
	k->graph = graph;
	k->to_existing = graph != NULL;
	k->origin = s;
	k->mode = mode;
	e = graph ? CUDA_SUCCESS : cuda_graph_new(&k->graph);
	if (!e)
		e = set_depends(&s->depends, &s->depend_count, depends, (uint32_t)count);
	if (e) {
		free(k);
		return e;
	}
	pthread_mutex_lock(&lock);
	k->id = ++last_id;
	k->next = active;
	active = k;
	pthread_mutex_unlock(&lock);
	__atomic_fetch_add(&s->context->captures, 1, __ATOMIC_RELAXED);
	s->capture = k;
	return CUDA_SUCCESS;
}

API cuStreamBeginCapture_v2(CUstream s, unsigned mode)
{
	return begin(s, NULL, NULL, 0, mode);
}

API cuStreamBeginCapture(CUstream s)
{
	return begin(s, NULL, NULL, 0, 0);
}

API cuStreamBeginCaptureToGraph(CUstream s, CUgraph g, const CUgraphNode *depends,
				const CUgraphEdgeData *data, size_t count, unsigned mode)
{
	(void)data;
	return IS(g, GRAPH) ? begin(s, g, depends, count, mode) : CUDA_ERROR_INVALID_VALUE;
}

static void mark_ancestors(CUgraphNode n)
{
	if (n->mark)
		return;
	n->mark = true;
	for (uint32_t k = 0; k < n->depend_count; k++)
		mark_ancestors(n->depends[k]);
}

/* Ends the capture for all its streams; false: the origin does not follow one of them. */
static bool release_streams(struct capture *k)
{
	CUcontext c = k->origin->context;
	bool joined = true;

	for (uint32_t n = 0; n < k->graph->count; n++)
		k->graph->nodes[n]->mark = false;
	for (uint32_t n = 0; n < k->origin->depend_count; n++)
		mark_ancestors(k->origin->depends[n]);
	pthread_mutex_lock(&c->lock);
	for (CUstream s = c->streams; s; s = s->next) {
		if (s->capture != k)
			continue;
		for (uint32_t n = 0; n < s->depend_count; n++)
			joined &= s->depends[n]->mark;
		s->capture = NULL;
		s->depend_count = 0;
		__atomic_fetch_sub(&c->captures, 1, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&c->lock);
	return joined;
}

API cuStreamEndCapture(CUstream handle, CUgraph *out)
{
	struct capture *k, **link;
	CUresult e;
	CUstream s = cuda_stream(handle, &e);
	bool joined;

	if (!s)
		return e;
	k = s->capture;
	if (!k)
		return CUDA_ERROR_ILLEGAL_STATE;
	if (!out && !k->to_existing) /* the graph would be lost */
		return CUDA_ERROR_INVALID_VALUE;
	if (k->origin != s)
		return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
	joined = release_streams(k);
	pthread_mutex_lock(&lock);
	for (link = &active; *link != k;)
		link = &(*link)->next;
	*link = k->next;
	pthread_mutex_unlock(&lock);
	e = k->invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
	    : joined   ? CUDA_SUCCESS
		       : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
	if (out)
		*out = e ? NULL : k->graph;
	if (e && !k->to_existing)
		cuda_graph_free(k->graph);
	free(k);
	return e;
}

/* ---- questions ---- */

API cuStreamIsCapturing(CUstream handle, unsigned *status)
{
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	if (!s || !status)
		return s ? CUDA_ERROR_INVALID_VALUE : e;
	*status = !s->capture ? 0 : s->capture->invalid ? 2 : 1;
	return CUDA_SUCCESS;
}

API cuStreamGetCaptureInfo_v3(CUstream handle, unsigned *status, uint64_t *id, CUgraph *graph,
			      const CUgraphNode **depends, const CUgraphEdgeData **data,
			      size_t *count)
{
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	if (!s || !status)
		return s ? CUDA_ERROR_INVALID_VALUE : e;
	*status = !s->capture ? 0 : s->capture->invalid ? 2 : 1;
	if (*status != 1)
		return CUDA_SUCCESS;
	if (id)
		*id = s->capture->id;
	if (graph)
		*graph = s->capture->graph;
	if (depends)
		*depends = s->depends;
	if (data)
		*data = NULL;
	if (count)
		*count = s->depend_count;
	return CUDA_SUCCESS;
}

API cuStreamGetCaptureInfo_v2(CUstream stream, unsigned *status, uint64_t *id, CUgraph *graph,
			      const CUgraphNode **depends, size_t *count)
{
	return cuStreamGetCaptureInfo_v3(stream, status, id, graph, depends, NULL, count);
}

API cuStreamGetCaptureInfo(CUstream stream, unsigned *status, uint64_t *id)
{
	return cuStreamGetCaptureInfo_v3(stream, status, id, NULL, NULL, NULL, NULL);
}

API cuStreamUpdateCaptureDependencies_v2(CUstream handle, CUgraphNode *nodes,
					 const CUgraphEdgeData *data, size_t count, unsigned flags)
{
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	(void)data;
	if (!s)
		return e;
	if (!s->capture || flags > 1 || (count && !nodes))
		return s->capture ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_ILLEGAL_STATE;
	return flags ? set_depends(&s->depends, &s->depend_count, nodes, (uint32_t)count)
		     : add_depends(s, nodes, (uint32_t)count);
}

API cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *nodes, size_t count,
				      unsigned flags)
{
	return cuStreamUpdateCaptureDependencies_v2(stream, nodes, NULL, count, flags);
}

/* No call is unsafe while another thread captures, so the mode changes nothing. */
API cuThreadExchangeStreamCaptureMode(unsigned *mode)
{
	unsigned old = thread_mode;

	if (!mode || *mode > 2)
		return CUDA_ERROR_INVALID_VALUE;
	thread_mode = *mode;
	*mode = old;
	return CUDA_SUCCESS;
}
