/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thread.h - threads that leave all signals to the others, and locks between priorities */
#ifndef LIBUTIL_THREAD_H
#define LIBUTIL_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* pthread_create() with all signals blocked; 0 or -errno. */
int thread_start(pthread_t *ret, void *(*run)(void *context), void *context);

/*
 * pthread_mutex_init(); who holds it inherits the priority of who waits for it. Or a thread that
 * runs late on a busy machine would keep one that must not (libutil/priority.h) as long.
 */
void lock_init(pthread_mutex_t *lock);

/* Wait for @signal, with @lock held, until now_ns() is @until_ns: false. May return early. */
bool lock_wait(pthread_cond_t *signal, pthread_mutex_t *lock, uint64_t until_ns);

#endif
