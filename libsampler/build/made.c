// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * made.c - see made.h
 *
 * In /tmp another user may have made a file of that name: only files of this process's user or
 * root's are read, by the daemon's readers, which trust nothing in them.
 */
#include "libsampler/build/made.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/proc_stat.h"
#include "libutil/sorted.h"

#define TEXT_MAX	(64u << 20)	/* bytes of a file; a longer one is not read */
#define MAPS_LIMIT	(64u << 20)

/* When this process started, by CLOCK_REALTIME in seconds; 0: unknown. */
static time_t started_at(void)
{
	struct proc_stat stat;
	long ticks = sysconf(_SC_CLK_TCK);
	uint64_t age, boot_s = clock_ns(CLOCK_BOOTTIME) / NS_PER_SECOND;

	if (ticks <= 0 || proc_stat_read("/proc/self/stat", &stat))
		return 0;
	age = boot_s - stat.start_time / (uint64_t)ticks;
	return (time_t)(clock_ns(CLOCK_REALTIME) / NS_PER_SECOND - age);
}

/* With some slack: a file that an earlier process with this number has left is older. */
static bool is_acceptable(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_size <= TEXT_MAX &&
	       (st->st_uid == geteuid() || st->st_uid == getuid() || !st->st_uid) &&
	       st->st_mtime + 2 >= started_at();
}

/* Malloc'd. NULL: there is none. */
static char *read_text(const char *path, size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	char *text = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !is_acceptable(&st) ||
	    file_read_all_fd(fd, TEXT_MAX, &text, ret_len))
		text = NULL;
	close(fd);
	return text;
}

/*
 * The dump that the process maps a page of. It is remembered, because programs may unmap it before
 * they end.
 */
static char dump_path[4096];
static pid_t dump_pid;			/* whose it is: a child of fork() has another */

void build_made_look_for_dump(const char *maps)
{
	const char *at, *path, *end;
	char name[32];

	snprintf(name, sizeof(name), "/jit-%d.dump\n", getpid());
	at = strstr(maps, name);
	if (!at)
		return;
	end = at + strlen(name) - 1;
	for (path = at; path > maps && path[-1] != '\n' && path[-1] != ' '; path--)
		;
	if (*path == '/' && (size_t)(end - path) < sizeof(dump_path))
		snprintf(dump_path, sizeof(dump_path), "%.*s", (int)(end - path), path);
	dump_pid = getpid();
}

static void find_dump(void)
{
	char *text;

	if (file_read_all("/proc/self/maps", MAPS_LIMIT, &text, NULL))
		return;
	build_made_look_for_dump(text);
	free(text);
}

void build_made_read(struct build_made *ret)
{
	const struct jit_window always = { 0 };
	char path[64], *map;
	size_t len;

	memset(ret, 0, sizeof(*ret));
	jit_code_init(&ret->code, &always);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = read_text(path, &len);
	if (map)
		jit_read_perf_map(map, len, &ret->code);
	free(map);
	find_dump();
	if (dump_pid == getpid() && (ret->dump = read_text(dump_path, &len)))
		jit_read_jitdump(ret->dump, len, &ret->code);
	build_made_registered(&ret->code);
	jit_layout_make(&ret->code, &ret->layout);
}

void build_made_free(struct build_made *m)
{
	jit_layout_free(&m->layout);
	jit_code_free(&m->code);
	free(m->dump);
}

static const char *find(const struct build_made *m, uint64_t address)
{
	size_t low = first_not(m->layout.nr, i, m->layout.symbols[i].end <= address);

	if (low == m->layout.nr || m->layout.symbols[low].start > address)
		return NULL;
	return m->layout.names.text + m->layout.symbols[low].name;
}

void build_made_name(const struct build_made *m, struct profile *p)
{
	for (uint32_t i = 0; m->layout.nr && i < p->nr_places; i++) {
		const struct profile_place *at = &p->places[i];
		struct profile_line line = { PROFILE_NONE, 0 };
		const char *name;
		uint32_t id;

		if (at->lines || (at->image != PROFILE_NONE &&
				  p->images[at->image].kind == PROFILE_FILE))
			continue;
		name = find(m, at->address);
		if (!name)
			continue;
		id = profile_string(p, name);
		line.function = profile_function(p, &(struct profile_function){
			.name = id, .system_name = id });
		profile_name_place(p, i, &line, 1);
	}
}
