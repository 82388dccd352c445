/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parked.h - threads that wait until they are told to end, as targets */
#ifndef TESTS_UNIT_LIBSAMPLER_PARKED_H
#define TESTS_UNIT_LIBSAMPLER_PARKED_H

#include <errno.h>
#include <unistd.h>
#include "tests/unit/libsampler/fakes.h"

struct parked {
	pthread_t thread;
	struct sampler_thread token;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	bool is_known, may_end;
};

static inline void *park(void *context)
{
	struct parked *p = context;

	pthread_mutex_lock(&p->mutex);
	p->token = thread_self();
	p->is_known = true;
	pthread_cond_broadcast(&p->cond);
	while (!p->may_end)
		pthread_cond_wait(&p->cond, &p->mutex);
	pthread_mutex_unlock(&p->mutex);
	return NULL;
}

static inline void parked_begin(struct parked *p)
{
	*p = (struct parked){
		.mutex = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER,
	};
	pthread_create(&p->thread, NULL, park, p);
	pthread_mutex_lock(&p->mutex);
	while (!p->is_known)
		pthread_cond_wait(&p->cond, &p->mutex);
	pthread_mutex_unlock(&p->mutex);
}

/* When this returns, the thread does not exist any more. */
static inline void parked_end(struct parked *p)
{
	struct sampler_thread t;

	pthread_mutex_lock(&p->mutex);
	p->may_end = true;
	pthread_cond_broadcast(&p->cond);
	pthread_mutex_unlock(&p->mutex);
	pthread_join(p->thread, NULL);
	while (sampler_thread_by_tid(p->token.tid, &t) != -ESRCH)
		usleep(100);
}

static inline size_t samples_of(const struct record *r, pid_t tid)
{
	size_t nr = 0;

	for (size_t i = 0; i < r->nr; i++)
		nr += r->samples[i].tid == tid;
	return nr;
}

#endif
