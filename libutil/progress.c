// SPDX-License-Identifier: GPL-2.0-or-later
/* progress.c - see progress.h */
#include "libutil/progress.h"

#include <pthread.h>

static void (*shown_with)(const char *what, size_t done, size_t total, const char *unit);
static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER;

void progress_show_with(void (*show)(const char *what, size_t done, size_t total,
				     const char *unit))
{
	shown_with = show;
}

void progress_tell(const char *what, size_t done, size_t total, const char *unit)
{
	if (!shown_with || pthread_mutex_trylock(&busy))
		return;
	shown_with(what, done, total, unit);
	pthread_mutex_unlock(&busy);
}
