/* SPDX-License-Identifier: MIT */
/*
 * Inside the library the calls of sov.h have other names: what programs call is in api.c, which looks
 * whether anybody watches and comes here. So the library's own files define the calls under their
 * public names and use them like everybody else, and only what a program called is logged and traced.
 *
 * Files that know sov.h already, tests for one, see the public names.
 */
#ifndef SOV_INNER_H
#define SOV_INNER_H

#ifndef SOV_H
#define sov_device_count                inner_device_count
#define sov_device_open                 inner_device_open
#define sov_device_open_name            inner_device_open_name
#define sov_device_open_matching            inner_device_open_wish
#define sov_device_get_properties       inner_device_get_properties
#define sov_context_create              inner_context_create
#define sov_context_destroy             inner_context_destroy
#define sov_context_reset               inner_context_reset
#define sov_context_status              inner_context_status
#define sov_context_wait                inner_context_wait
#define sov_context_get_device          inner_context_get_device
#define sov_context_get_fault           inner_context_get_fault
#define sov_memory_alloc                inner_memory_alloc
#define sov_memory_free                 inner_memory_free
#define sov_memory_copy                 inner_memory_copy
#define sov_memory_copy_async           inner_memory_copy_async
#define sov_memory_fill                 inner_memory_fill
#define sov_memory_fill_async           inner_memory_fill_async
#define sov_memory_copy_rect_async       inner_memory_copy_box_async
#define sov_memory_info                 inner_memory_info
#define sov_memory_range                inner_memory_range
#define sov_memory_reserve              inner_memory_reserve
#define sov_memory_resize               inner_memory_resize
#define sov_memory_alloc_async          inner_memory_alloc_async
#define sov_memory_free_async           inner_memory_free_async
#define sov_pool_trim                   inner_pool_trim
#define sov_pool_set_limit              inner_pool_set_limit
#define sov_pool_get_statistics         inner_pool_get_statistics
#define sov_host_alloc                  inner_host_alloc
#define sov_host_free                   inner_host_free
#define sov_host_unregister             inner_host_unregister
#define sov_host_register               inner_host_register
#define sov_module_load                 inner_module_load
#define sov_module_unload               inner_module_unload
#define sov_module_get_function         inner_module_get_function
#define sov_module_get_function_at      inner_module_get_function_at
#define sov_module_get_variable         inner_module_get_variable
#define sov_function_get_attributes     inner_function_get_attributes
#define sov_function_get_occupancy      inner_function_get_occupancy
#define sov_function_get_parameter      inner_function_get_parameter
#define sov_stream_create               inner_stream_create
#define sov_stream_create_with_priority inner_stream_create_with_priority
#define sov_stream_get_priority         inner_stream_get_priority
#define sov_stream_destroy              inner_stream_destroy
#define sov_stream_wait                 inner_stream_wait
#define sov_stream_wait_event           inner_stream_wait_event
#define sov_context_get_stream          inner_context_get_stream
#define sov_function_launch             inner_function_launch
#define sov_event_create                inner_event_create
#define sov_event_destroy               inner_event_destroy
#define sov_event_record                inner_event_record
#define sov_event_wait                  inner_event_wait
#define sov_event_elapsed               inner_event_elapsed
#define sov_stream_host_function                 inner_stream_call
#define sov_graph_create                inner_graph_create
#define sov_graph_destroy               inner_graph_destroy
#define sov_graph_add_kernel            inner_graph_add_kernel
#define sov_graph_add_copy              inner_graph_add_copy
#define sov_graph_add_copy_rect               inner_graph_add_box
#define sov_graph_add_fill              inner_graph_add_fill
#define sov_graph_add_host_function              inner_graph_add_call
#define sov_graph_add_dependency             inner_graph_add_order
#define sov_stream_begin_capture        inner_stream_begin_capture
#define sov_stream_end_capture          inner_stream_end_capture
#define sov_graph_instantiate           inner_graph_instantiate
#define sov_graph_exec_destroy           inner_graph_run_destroy
#define sov_graph_exec_set_arguments     inner_graph_run_set_arguments
#define sov_graph_launch                inner_graph_launch
#endif

#include "libsov/sov.h"

#endif
