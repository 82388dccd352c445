/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debug_server.c - load libdebuginfod if it is needed, and limit its time */
#include "pp/binary/debug_server.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libutil/clock.h"
#include "libutil/number.h"
#include "libutil/progress.h"
#include "libutil/xalloc.h"

#define LIBRARY		"libdebuginfod.so.1"
#define DEFAULT_SECONDS	60	/* of waiting, for all files together */

struct debug_server {
	void *library, *client;
	void *(*begin)(void);
	void (*end)(void *client);
	int (*find)(void *client, const unsigned char *build_id, int len, char **ret_path);
	void (*set_progress)(void *client, int (*progress)(void *client, long done, long total));
	double left;			/* seconds */
};

static struct fetch {
	const char *what;
	double deadline;
	bool is_late;
} fetch;				/* the library's callback has no argument for it */

static double now(void)
{
	return (double)now_ns() * 1e-9;
}

/* libdebuginfod calls it repeatedly while it waits; not 0: give up. */
static int tick(void *client, long done, long total)
{
	(void)client;
	fetch.is_late = now() > fetch.deadline;
	progress_tell(fetch.what, done > 0 ? (size_t)done / 1000 : 0,
		      total > 0 ? (size_t)total / 1000 : 0, "kB of the debug file");
	return fetch.is_late;
}

static bool load(struct debug_server *s)
{
	s->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!s->library)
		return false;
	s->begin = (void *(*)(void))dlsym(s->library, "debuginfod_begin");
	s->end = (void (*)(void *))dlsym(s->library, "debuginfod_end");
	s->find = (int (*)(void *, const unsigned char *, int, char **))
		dlsym(s->library, "debuginfod_find_debuginfo");
	s->set_progress = (void (*)(void *, int (*)(void *, long, long)))
		dlsym(s->library, "debuginfod_set_progressfn");
	if (!s->begin || !s->end || !s->find || !s->set_progress)
		return false;
	s->client = s->begin();
	return s->client;
}

/* The library's own variable for the longest download. */
static double seconds(void)
{
	const char *text = getenv("DEBUGINFOD_MAXTIME");
	uint64_t n;

	return text && !number_parse_range(text, 1, 86400, &n) ? (double)n : DEFAULT_SECONDS;
}

int debug_server_open(struct debug_server **ret, struct op_error *e)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct debug_server *s;

	if (!urls || !urls[strspn(urls, " ")])
		return -ENOENT;
	s = xcalloc(1, sizeof(*s));
	s->left = seconds();
	if (!load(s)) {
		debug_server_close(s);
		return op_error_set(e, -ELIBACC, "cannot fetch debug files: DEBUGINFOD_URLS is "
				    "set, but " LIBRARY " is missing; install libdebuginfod1");
	}
	s->set_progress(s->client, tick);
	*ret = s;
	return 0;
}

void debug_server_close(struct debug_server *s)
{
	if (!s)
		return;
	if (s->client)
		s->end(s->client);
	if (s->library)
		dlclose(s->library);
	free(s);
}

int debug_server_fetch(struct debug_server *s, const char *build_id, const char *what,
		       char **ret_path, struct op_error *e)
{
	double start = now();
	char *path = NULL;
	int fd;

	if (s->left <= 0)
		return op_error_set(e, -ETIME, "time limit reached");
	fetch = (struct fetch){ what, start + s->left, false };
	fd = s->find(s->client, (const unsigned char *)build_id, 0, &path);
	s->left -= now() - start;
	if (fd < 0) {
		if (fetch.is_late)
			s->left = 0;
		return op_error_set(e, fetch.is_late ? -ETIME : fd, "%s",
				    fetch.is_late ? "timed out" : strerror(-fd));
	}
	close(fd);
	*ret_path = xstrdup(path);
	free(path);
	return 0;
}
