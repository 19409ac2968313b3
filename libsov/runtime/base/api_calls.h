/* SPDX-License-Identifier: MIT */
/*
 * The API calls of sov.h, one row each: CALL(name, (type, argument, kind)…). sov_<name> is what
 * programs call; api_<name> is its implementation, which the library itself calls too, so that only
 * the program's own calls are logged and traced. kind is an argument_kind without its prefix.
 *
 * Included without a definition of CALL, this file declares the implementations. api.c defines CALL
 * to generate the public functions and their descriptions. A new call needs its declaration in
 * sov.h, its row here, its implementation and its page in docs/man.
 */
#ifndef SOV_API_CALLS_H
#define SOV_API_CALLS_H

#include "libsov/sov.h"

typedef void (*host_function_pointer)(void *user);

/* Applies m to each of up to eight arguments. */
#define CALL_EACH_1(m, a)                          m a
#define CALL_EACH_2(m, a, ...)                     m a, CALL_EACH_1(m, __VA_ARGS__)
#define CALL_EACH_3(m, a, ...)                     m a, CALL_EACH_2(m, __VA_ARGS__)
#define CALL_EACH_4(m, a, ...)                     m a, CALL_EACH_3(m, __VA_ARGS__)
#define CALL_EACH_5(m, a, ...)                     m a, CALL_EACH_4(m, __VA_ARGS__)
#define CALL_EACH_6(m, a, ...)                     m a, CALL_EACH_5(m, __VA_ARGS__)
#define CALL_EACH_7(m, a, ...)                     m a, CALL_EACH_6(m, __VA_ARGS__)
#define CALL_EACH_8(m, a, ...)                     m a, CALL_EACH_7(m, __VA_ARGS__)
#define CALL_NINTH(a, b, c, d, e, f, g, h, i, ...) i
#define CALL_EACH(m, ...) \
	CALL_NINTH(__VA_ARGS__, CALL_EACH_8, CALL_EACH_7, CALL_EACH_6, CALL_EACH_5, CALL_EACH_4, \
		   CALL_EACH_3, CALL_EACH_2, CALL_EACH_1, 0) \
	(m, __VA_ARGS__)

#define CALL_PARAMETER(type, name, kind) type name
#define CALL_PARAMETERS(...)             CALL_EACH(CALL_PARAMETER, __VA_ARGS__)

#endif

#ifndef CALL
#define CALL(name, ...) sov_result api_##name(CALL_PARAMETERS(__VA_ARGS__));
#endif

CALL(device_count, (uint32_t *, count, OUT_WORD))
CALL(device_open, (uint32_t, ordinal, NUMBER), (sov_device *, device, OUT_ADDRESS))
CALL(device_open_name, (const char *, name, TEXT), (sov_device *, device, OUT_ADDRESS))
CALL(device_open_matching, (const sov_device_requirements *, requirements, ADDRESS),
     (sov_device *, device, OUT_ADDRESS))
CALL(device_get_properties, (sov_device, device, ADDRESS),
     (sov_device_properties *, properties, ADDRESS))
CALL(device_get_identity, (sov_device, device, ADDRESS), (sov_device_identity *, identity, ADDRESS))
CALL(device_get_state, (sov_device, device, ADDRESS), (sov_device_state *, state, ADDRESS))
CALL(device_get_processes, (sov_device, device, ADDRESS), (uint32_t, capacity, NUMBER),
     (sov_device_process *, processes, ADDRESS), (uint32_t *, count, OUT_WORD))
CALL(device_get_time, (sov_device, device, ADDRESS), (uint64_t *, nanoseconds, OUT_NUMBER))
CALL(context_create, (sov_device, device, ADDRESS), (const sov_context_options *, options, ADDRESS),
     (sov_context *, context, OUT_ADDRESS))
CALL(context_destroy, (sov_context, context, ADDRESS))
CALL(context_reset, (sov_context, context, ADDRESS))
CALL(context_status, (sov_context, context, ADDRESS))
CALL(context_wait, (sov_context, context, ADDRESS), (uint64_t, timeout, NUMBER))
CALL(context_get_device, (sov_context, context, ADDRESS), (sov_device *, device, OUT_ADDRESS))
CALL(context_get_fault, (sov_context, context, ADDRESS), (sov_fault *, fault, ADDRESS))
CALL(memory_alloc, (sov_context, context, ADDRESS), (uint64_t, bytes, NUMBER),
     (sov_ptr *, address, OUT_ADDRESS))
CALL(memory_free, (sov_context, context, ADDRESS), (sov_ptr, address, ADDRESS))
CALL(memory_copy, (sov_context, context, ADDRESS), (sov_ptr, destination, ADDRESS),
     (sov_ptr, source, ADDRESS), (uint64_t, bytes, NUMBER))
CALL(memory_copy_async, (sov_stream, stream, ADDRESS), (sov_ptr, destination, ADDRESS),
     (sov_ptr, source, ADDRESS), (uint64_t, bytes, NUMBER))
CALL(memory_fill, (sov_context, context, ADDRESS), (sov_ptr, address, ADDRESS),
     (uint32_t, value, NUMBER), (uint32_t, element_bytes, NUMBER), (uint64_t, count, NUMBER))
CALL(memory_fill_async, (sov_stream, stream, ADDRESS), (sov_ptr, address, ADDRESS),
     (uint32_t, value, NUMBER), (uint32_t, element_bytes, NUMBER), (uint64_t, count, NUMBER))
CALL(memory_copy_rect_async, (sov_stream, stream, ADDRESS),
     (const sov_copy_rect *, rect, COPY_RECT))
CALL(memory_info, (sov_context, context, ADDRESS), (uint64_t *, free_bytes, OUT_NUMBER),
     (uint64_t *, total_bytes, OUT_NUMBER))
CALL(memory_range, (sov_context, context, ADDRESS), (sov_ptr, address, ADDRESS),
     (sov_ptr *, start, OUT_ADDRESS), (uint64_t *, bytes, OUT_NUMBER))
CALL(memory_map, (sov_context, context, ADDRESS), (sov_ptr, address, ADDRESS),
     (void **, pointer, OUT_ADDRESS))
CALL(memory_export, (sov_context, context, ADDRESS), (sov_ptr, address, ADDRESS),
     (sov_memory_handle *, handle, ADDRESS))
CALL(memory_import, (sov_context, context, ADDRESS), (const sov_memory_handle *, handle, ADDRESS),
     (sov_ptr *, address, OUT_ADDRESS), (uint64_t *, bytes, OUT_NUMBER))
CALL(memory_reserve, (sov_context, context, ADDRESS), (uint64_t, max_bytes, NUMBER),
     (sov_ptr *, address, OUT_ADDRESS))
CALL(memory_resize, (sov_context, context, ADDRESS), (sov_ptr, address, ADDRESS),
     (uint64_t, bytes, NUMBER))
CALL(memory_alloc_async, (sov_stream, stream, ADDRESS), (uint64_t, bytes, NUMBER),
     (sov_ptr *, address, OUT_ADDRESS))
CALL(memory_free_async, (sov_stream, stream, ADDRESS), (sov_ptr, address, ADDRESS))
CALL(pool_trim, (sov_context, context, ADDRESS), (uint64_t, keep_bytes, NUMBER))
CALL(pool_set_limit, (sov_context, context, ADDRESS), (uint64_t, bytes, NUMBER))
CALL(pool_get_statistics, (sov_context, context, ADDRESS),
     (sov_pool_statistics *, statistics, ADDRESS))
CALL(texture_create, (sov_context, context, ADDRESS),
     (const sov_texture_options *, options, ADDRESS), (sov_texture *, texture, OUT_ADDRESS))
CALL(texture_destroy, (sov_context, context, ADDRESS), (sov_texture, texture, ADDRESS))
CALL(texture_get_requirements, (sov_context, context, ADDRESS),
     (const sov_texture_options *, options, ADDRESS), (uint64_t *, bytes, ADDRESS),
     (uint64_t *, alignment, ADDRESS))
CALL(sampler_create, (sov_context, context, ADDRESS),
     (const sov_texture_options *, options, ADDRESS), (sov_texture *, sampler, OUT_ADDRESS))
CALL(texture_get_image, (sov_context, context, ADDRESS), (sov_texture, texture, ADDRESS),
     (uint32_t, level, NUMBER), (sov_image *, image, ADDRESS))
CALL(texture_write, (sov_context, context, ADDRESS), (sov_texture, texture, ADDRESS),
     (const void *, texels, ADDRESS))
CALL(texture_read, (sov_context, context, ADDRESS), (sov_texture, texture, ADDRESS),
     (void *, texels, ADDRESS))
CALL(host_alloc, (sov_context, context, ADDRESS), (uint64_t, bytes, NUMBER),
     (void **, pointer, OUT_ADDRESS))
CALL(host_free, (sov_context, context, ADDRESS), (void *, pointer, ADDRESS))
CALL(host_unregister, (sov_context, context, ADDRESS), (void *, pointer, ADDRESS))
CALL(host_register, (sov_context, context, ADDRESS), (void *, pointer, ADDRESS),
     (uint64_t, bytes, NUMBER))
CALL(module_load, (sov_context, context, ADDRESS), (const void *, data, ADDRESS),
     (size_t, bytes, NUMBER), (const sov_module_options *, options, ADDRESS),
     (sov_module *, module, OUT_ADDRESS))
CALL(module_link, (sov_context, context, ADDRESS), (const sov_module_input *, inputs, ADDRESS),
     (uint32_t, count, NUMBER), (const sov_module_options *, options, ADDRESS),
     (sov_module *, module, OUT_ADDRESS))
CALL(module_link_image, (sov_context, context, ADDRESS),
     (const sov_module_input *, inputs, ADDRESS), (uint32_t, count, NUMBER),
     (const sov_module_options *, options, ADDRESS), (void **, image, OUT_ADDRESS),
     (size_t *, bytes, OUT_NUMBER))
CALL(module_unload, (sov_module, module, ADDRESS))
CALL(module_get_function, (sov_module, module, ADDRESS), (const char *, name, TEXT),
     (sov_function *, function, OUT_ADDRESS))
CALL(module_get_function_at, (sov_module, module, ADDRESS), (uint32_t, index, NUMBER),
     (sov_function *, function, OUT_ADDRESS))
CALL(module_get_variable, (sov_module, module, ADDRESS), (const char *, name, TEXT),
     (sov_ptr *, address, OUT_ADDRESS), (uint64_t *, bytes, OUT_NUMBER))
CALL(function_get_attributes, (sov_function, function, ADDRESS),
     (sov_function_attributes *, attributes, ADDRESS))
CALL(function_get_occupancy, (sov_function, function, ADDRESS), (uint32_t, threads, NUMBER),
     (uint32_t, shared_bytes, NUMBER), (uint32_t *, blocks, OUT_WORD))
CALL(function_get_cluster_occupancy, (sov_function, function, ADDRESS),
     (const uint32_t *, cluster, ADDRESS), (uint32_t, threads, NUMBER),
     (uint32_t, shared_bytes, NUMBER), (uint32_t *, clusters, OUT_WORD))
CALL(function_get_parameter, (sov_function, function, ADDRESS), (uint32_t, index, NUMBER),
     (uint32_t *, offset, OUT_WORD), (uint32_t *, bytes, OUT_WORD))
CALL(tensor_map_encode, (const sov_tensor_map_options *, options, ADDRESS),
     (sov_tensor_map *, map, ADDRESS))
CALL(stream_create, (sov_context, context, ADDRESS), (uint32_t, flags, NUMBER),
     (sov_stream *, stream, OUT_ADDRESS))
CALL(stream_create_with_priority, (sov_context, context, ADDRESS), (uint32_t, flags, NUMBER),
     (int32_t, priority, SIGNED), (sov_stream *, stream, OUT_ADDRESS))
CALL(stream_get_priority, (sov_stream, stream, ADDRESS), (int32_t *, priority, OUT_SIGNED))
CALL(stream_destroy, (sov_stream, stream, ADDRESS))
CALL(stream_wait, (sov_stream, stream, ADDRESS), (uint64_t, timeout, NUMBER))
CALL(stream_wait_value, (sov_stream, stream, ADDRESS), (sov_ptr, address, ADDRESS),
     (uint64_t, value, NUMBER), (uint32_t, bytes, NUMBER), (uint32_t, condition, NUMBER))
CALL(stream_write_value, (sov_stream, stream, ADDRESS), (sov_ptr, address, ADDRESS),
     (uint64_t, value, NUMBER), (uint32_t, bytes, NUMBER))
CALL(stream_wait_event, (sov_stream, stream, ADDRESS), (sov_event, event, ADDRESS))
CALL(context_get_stream, (sov_context, context, ADDRESS), (sov_stream *, stream, OUT_ADDRESS))
CALL(function_launch, (sov_function, function, ADDRESS), (const sov_launch *, launch, LAUNCH))
CALL(event_create, (sov_context, context, ADDRESS), (uint32_t, flags, NUMBER),
     (sov_event *, event, OUT_ADDRESS))
CALL(event_destroy, (sov_event, event, ADDRESS))
CALL(event_record, (sov_event, event, ADDRESS), (sov_stream, stream, ADDRESS))
CALL(event_wait, (sov_event, event, ADDRESS), (uint64_t, timeout, NUMBER))
CALL(event_elapsed, (sov_event, from, ADDRESS), (sov_event, to, ADDRESS),
     (uint64_t *, nanoseconds, OUT_NUMBER))
CALL(event_get_time, (sov_event, event, ADDRESS), (uint64_t *, nanoseconds, OUT_NUMBER))
CALL(stream_host_function, (sov_stream, stream, ADDRESS),
     (host_function_pointer, function, ADDRESS), (void *, user, ADDRESS))
CALL(graph_create, (sov_context, context, ADDRESS), (uint32_t, flags, NUMBER),
     (sov_graph *, graph, OUT_ADDRESS))
CALL(graph_destroy, (sov_graph, graph, ADDRESS))
CALL(graph_add_kernel, (sov_graph, graph, ADDRESS), (const sov_node *, dependencies, ADDRESS),
     (uint32_t, count, NUMBER), (sov_function, function, ADDRESS),
     (const sov_launch *, launch, LAUNCH), (sov_node *, node, OUT_WORD))
CALL(graph_add_copy, (sov_graph, graph, ADDRESS), (const sov_node *, dependencies, ADDRESS),
     (uint32_t, count, NUMBER), (sov_ptr, destination, ADDRESS), (sov_ptr, source, ADDRESS),
     (uint64_t, bytes, NUMBER), (sov_node *, node, OUT_WORD))
CALL(graph_add_copy_rect, (sov_graph, graph, ADDRESS), (const sov_node *, dependencies, ADDRESS),
     (uint32_t, count, NUMBER), (const sov_copy_rect *, rect, COPY_RECT),
     (sov_node *, node, OUT_WORD))
CALL(graph_add_fill, (sov_graph, graph, ADDRESS), (const sov_node *, dependencies, ADDRESS),
     (uint32_t, count, NUMBER), (sov_ptr, address, ADDRESS), (uint32_t, value, NUMBER),
     (uint32_t, element_bytes, NUMBER), (uint64_t, element_count, NUMBER),
     (sov_node *, node, OUT_WORD))
CALL(graph_add_host_function, (sov_graph, graph, ADDRESS),
     (const sov_node *, dependencies, ADDRESS), (uint32_t, count, NUMBER),
     (host_function_pointer, function, ADDRESS), (void *, user, ADDRESS),
     (sov_node *, node, OUT_WORD))
CALL(graph_add_conditional, (sov_graph, graph, ADDRESS), (const sov_node *, dependencies, ADDRESS),
     (uint32_t, count, NUMBER), (uint32_t, kind, NUMBER), (sov_ptr, condition, ADDRESS),
     (const sov_graph *, bodies, ADDRESS), (uint32_t, body_count, NUMBER),
     (sov_node *, node, OUT_WORD))
CALL(graph_add_dependency, (sov_graph, graph, ADDRESS), (sov_node, from, NUMBER),
     (sov_node, to, NUMBER))
CALL(stream_begin_capture, (sov_stream, stream, ADDRESS), (sov_graph, graph, ADDRESS))
CALL(stream_end_capture, (sov_stream, stream, ADDRESS))
CALL(graph_instantiate, (sov_graph, graph, ADDRESS), (sov_graph_exec *, exec, OUT_ADDRESS))
CALL(graph_exec_destroy, (sov_graph_exec, exec, ADDRESS))
CALL(graph_exec_set_arguments, (sov_graph_exec, exec, ADDRESS), (sov_node, node, NUMBER),
     (const void *const *, arguments, ADDRESS), (uint32_t, count, NUMBER))
CALL(graph_launch, (sov_graph_exec, exec, ADDRESS), (sov_stream, stream, ADDRESS))

#undef CALL
