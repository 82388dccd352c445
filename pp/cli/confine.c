// SPDX-License-Identifier: GPL-2.0-or-later
/* confine.c - which files the sandbox of a tool leaves writable */
#include "pp/cli/confine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libutil/file.h"
#include "libutil/message.h"
#include "libutil/sandbox/sandbox.h"
#include "libutil/xalloc.h"
#include "pp/binary/line/cache.h"
#include "pp/cli/terminal.h"

#ifdef __SANITIZE_ADDRESS__
#define CAN_CONFINE	0		/* LeakSanitizer traces the process when it ends */
#else
#define CAN_CONFINE	1
#endif
#define NR_OUTPUTS	(sizeof(((struct confine_needs *)NULL)->outputs) / sizeof(char *))

/*
 * What must be writable so that @path can be written: the device itself, or the folder in which a
 * file is replaced; of a path that does not exist, the first folder that does.
 */
static char *writable_of(const char *path)
{
	char *absolute = path_absolute(path), *place = absolute ? absolute : xstrdup(path), *slash;
	struct stat st;

	if (!stat(place, &st) && !S_ISREG(st.st_mode))
		return place;
	do {
		slash = strrchr(place, '/');
		if (!slash) {
			free(place);
			return xstrdup(".");
		}
		slash[slash == place] = '\0';
	} while (slash != place && !file_is_dir(place));
	return place;
}

/* libdebuginfod's folder, as debuginfod_find_debuginfo(3) describes it. */
static char *server_cache(void)
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *xdg = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	char *path, *writable;

	if (own && *own)
		return writable_of(own);
	if (xdg && *xdg)
		path = xasprintf("%s/debuginfod_client", xdg);
	else
		path = xasprintf("%s/.cache/debuginfod_client", home ? home : "");
	writable = writable_of(path);
	free(path);
	return writable;
}

int confine(const struct confine_needs *needs, struct op_error *e)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	char *writable[NR_OUTPUTS + 4] = { NULL };
	struct sandbox s = { .kind = SANDBOX_REPORT };
	bool has_servers;
	size_t nr = 0;
	int err;

	has_servers = servers && servers[strspn(servers, " ")];
	s.network = has_servers || needs->network;
	s.times = needs->times;
	s.must_write = needs->must_write;
	for (size_t i = 0; i < NR_OUTPUTS; i++)
		if (needs->outputs[i])
			writable[nr++] = writable_of(needs->outputs[i]);
	writable[nr++] = xstrdup("/dev/null");
	writable[nr] = needs->line_cache ? line_cache_dir() : NULL;
	nr += writable[nr] != NULL;
	if (has_servers)
		writable[nr++] = server_cache();
	s.writable = (const char *const *)writable;
	pager_prepare(needs->pager);
	err = CAN_CONFINE ? sandbox_enter(&s) : 0;
	while (nr)
		free(writable[--nr]);
	if (!err || geteuid())
		return 0;
	return op_error_set(e, err, "cannot confine the parsers of binaries: %s; do not run as "
			    "root here", strerror(-err));
}

int confine_and_run(const struct confine_needs *needs, int (*run)(const void *options),
		    const void *options)
{
	struct op_error e = { "" };

	if (confine(needs, &e)) {
		report_error("%s", e.text);
		return 1;
	}
	progress_begin();
	return run(options);
}
