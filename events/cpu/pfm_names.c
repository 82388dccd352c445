// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pfm_names.c - look event names up in libpfm4, if it is installed
 *
 * The library is loaded at run time, because CPUs with a table do not need it.
 */
#include "events/cpu/pfm_names.h"

#if __has_include(<perfmon/pfmlib_perf_event.h>)

#include <dlfcn.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

#define LIBRARY "libpfm.so.4"

typedef pfm_err_t encode_function(const char *name, int levels, pfm_os_t os, void *arg);

/* The encoder of the initialized library, or NULL. */
static encode_function *load(void)
{
	static encode_function *encode;
	static bool is_tried;
	pfm_err_t (*initialize)(void);
	void *library;

	if (is_tried)
		return encode;
	is_tried = true;
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return NULL;
	*(void **)&initialize = dlsym(library, "pfm_initialize");
	if (initialize && initialize() == PFM_SUCCESS)
		*(void **)&encode = dlsym(library, "pfm_get_os_event_encoding");
	return encode;
}

bool pfm_name_config(const char *name, uint64_t *ret_config)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	encode_function *encode = load();

	if (!encode || encode(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg) != PFM_SUCCESS)
		return false;
	/* skip software events, other units than the core, and events that need two registers */
	if (attr.type != PERF_TYPE_RAW || attr.config1 || attr.config2)
		return false;
	*ret_config = attr.config;
	return true;
}

#else

bool pfm_name_config(const char *name, uint64_t *ret_config)
{
	(void)name;
	(void)ret_config;
	return false;
}

#endif
