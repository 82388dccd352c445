/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thread.h - start a thread that leaves all signals to the others */
#ifndef LIBUTIL_THREAD_H
#define LIBUTIL_THREAD_H

#include <pthread.h>

/* pthread_create() with all signals blocked; 0 or -errno. */
int thread_start(pthread_t *ret, void *(*run)(void *context), void *context);

#endif
