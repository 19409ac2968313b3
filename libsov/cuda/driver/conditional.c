// SPDX-License-Identifier: MIT
/* Conditional nodes: handles of conditions, and nodes with the graphs that they execute. */
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/graph.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct condition *conditions;

struct condition *cuda_condition_get(uint64_t handle)
{
	struct condition *c;

	pthread_mutex_lock(&lock);
	for (c = conditions; c && (uint64_t)(uintptr_t)c->word != handle;)
		c = c->next;
	if (c)
		c->references++;
	pthread_mutex_unlock(&lock);
	return c;
}

void cuda_condition_reference(struct condition *c)
{
	pthread_mutex_lock(&lock);
	c->references++;
	pthread_mutex_unlock(&lock);
}

/* The context may have been destroyed, with its pinned memory. */
void cuda_condition_put(struct condition *c)
{
	struct condition **link = &conditions;
	bool last;

	pthread_mutex_lock(&lock);
	last = !--c->references;
	while (last && *link != c)
		link = &(*link)->next;
	if (last)
		*link = c->next;
	pthread_mutex_unlock(&lock);
	if (!last)
		return;
	if (IS(c->context, CONTEXT) && c->context->sov)
		sov_host_free(c->context->sov, c->word);
	free(c);
}

static CUresult condition_create(CUcontext context, uint32_t initial, bool assigns,
				 struct condition **out)
{
	struct condition *c = calloc(1, sizeof(*c));
	void *word;
	CUresult e;

	if (!c)
		return CUDA_ERROR_OUT_OF_MEMORY;
	e = cuda_context_result(context, sov_host_alloc(context->sov, sizeof(uint32_t), &word));
	if (e) {
		free(c);
		return e;
	}
	*c = (struct condition){.context = context,
				.word = word,
				.initial = initial,
				.assigns = assigns,
				.references = 1};
	*c->word = initial;
	pthread_mutex_lock(&lock);
	c->next = conditions;
	conditions = c;
	pthread_mutex_unlock(&lock);
	*out = c;
	return CUDA_SUCCESS;
}

CUresult cuda_graph_add_condition(CUgraph g, struct condition *c)
{
	struct condition **more =
		realloc(g->conditions, (g->condition_count + 1) * sizeof(struct condition *));

	if (!more)
		return CUDA_ERROR_OUT_OF_MEMORY;
	cuda_condition_reference(c);
	g->conditions = more;
	g->conditions[g->condition_count++] = c;
	return CUDA_SUCCESS;
}

/* The handle belongs to the graph, which assigns its initial value. */
API cuGraphConditionalHandleCreate(uint64_t *out, CUgraph g, CUcontext c, unsigned initial,
				   unsigned flags)
{
	struct condition *made;
	CUresult e = CUDA_SUCCESS;

	if (!c)
		c = cuda_context(&e);
	else if (IS(c, CONTEXT))
		e = cuda_context_ready(c);
	else
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!c || e)
		return e;
	if (!out || !IS(g, GRAPH) || flags > CU_GRAPH_COND_ASSIGN_DEFAULT)
		return CUDA_ERROR_INVALID_VALUE;
	e = condition_create(c, initial, flags, &made);
	if (e)
		return e;
	e = cuda_graph_add_condition(g, made);
	if (!e)
		*out = (uint64_t)(uintptr_t)made->word;
	cuda_condition_put(made);
	return e;
}

/* ---- nodes ---- */

void cuda_conditional_clear(struct conditional_node *k)
{
	for (uint32_t i = 0; k->bodies && i < k->count; i++)
		if (k->bodies[i])
			cuda_graph_free(k->bodies[i]);
	free(k->bodies);
	if (k->condition)
		cuda_condition_put(k->condition);
	memset(k, 0, sizeof(*k));
}

static CUresult conditional_init(struct conditional_node *k, int type, unsigned count)
{
	CUresult e = CUDA_SUCCESS;

	k->type = type;
	k->bodies = calloc(count, sizeof(CUgraph));
	if (!k->bodies)
		return CUDA_ERROR_OUT_OF_MEMORY;
	while (!e && k->count < count)
		e = cuda_graph_new(&k->bodies[k->count++]);
	return e;
}

CUresult cuda_conditional_copy(struct conditional_node *to, const struct conditional_node *from)
{
	CUresult e = conditional_init(to, from->type, from->count);

	for (uint32_t i = 0; !e && i < from->count; i++)
		e = cuda_graph_copy_nodes(to->bodies[i], from->bodies[i]);
	if (e) {
		cuda_conditional_clear(to);
		return e;
	}
	to->condition = from->condition;
	cuda_condition_reference(to->condition);
	return e;
}

CUresult cuda_graph_add_conditional(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
				    size_t count, CUDA_CONDITIONAL_NODE_PARAMS *p)
{
	static const unsigned max[] = {2, 1, 65536}; /* bodies by type */
	struct conditional_node k = {0};
	CUresult e;

	if (p->type > CU_GRAPH_COND_TYPE_SWITCH || !p->size || p->size > max[p->type])
		return CUDA_ERROR_INVALID_VALUE;
	k.condition = cuda_condition_get(p->handle);
	if (!k.condition)
		return CUDA_ERROR_INVALID_VALUE;
	e = conditional_init(&k, (int)p->type, p->size);
	if (!e)
		e = cuda_node_add(g, CU_GRAPH_NODE_CONDITIONAL, depends, count, out);
	if (e) {
		cuda_conditional_clear(&k);
		return e;
	}
	(*out)->u.conditional = k;
	(*out)->context = k.condition->context;
	p->phGraph_out = k.bodies;
	return CUDA_SUCCESS;
}
