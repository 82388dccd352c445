/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain.h - calls that say themselves where they are called from: outer(), one with
 * alloca(), inner(), and what is asked for. The same in objects that are compiled differently.
 */
#ifndef TESTS_UNIT_LIBSAMPLER_CHAIN_H
#define TESTS_UNIT_LIBSAMPLER_CHAIN_H

#include <stdint.h>

#define CHAIN_LINKS 3

struct chain {
	void (*then)(void *context);
	void *context;
	uintptr_t from[CHAIN_LINKS];	/* return addresses, outer()'s first */
	unsigned int skip_alloca, bytes;
	/* of chain_read(): says that it is about to read; what it reads from */
	volatile int *is_ready;
	int fd;
};

typedef void chain_run(struct chain *c);
void chain_without_frame_pointers(struct chain *c);
void chain_with_frame_pointers(struct chain *c);
/* A link that sleeps until @chain->fd is closed, and needs no register but those of calls. */
void chain_read(void *chain);
/* in sampler_without_cfi.so */
void chain_without_cfi(struct chain *c);

#endif
