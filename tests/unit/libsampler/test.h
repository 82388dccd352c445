/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test.h - libraries beside the test program */
#ifndef TESTS_UNIT_LIBSAMPLER_TEST_H
#define TESTS_UNIT_LIBSAMPLER_TEST_H

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef void sampler_tiny_call(void (*call)(void *context), void *context);

struct tiny {
	void *handle;
	sampler_tiny_call *call;
	char path[PATH_MAX];
};

/* @name: "sampler_tiny.so" */
static inline int tiny_open(const char *name, struct tiny *ret)
{
	ssize_t len = readlink("/proc/self/exe", ret->path, sizeof(ret->path) - 64);

	if (len <= 0)
		return -1;
	ret->path[len] = '\0';
	strcpy(strrchr(ret->path, '/') + 1, name);
	ret->handle = dlopen(ret->path, RTLD_NOW | RTLD_LOCAL);
	if (!ret->handle)
		return -1;
	ret->call = (sampler_tiny_call *)dlsym(ret->handle, "tiny_call");
	return ret->call ? 0 : -1;
}

static inline void tiny_close(struct tiny *tiny)
{
	dlclose(tiny->handle);
}

#endif
