// SPDX-License-Identifier: GPL-2.0-or-later
/* proc.c - parse lines of /proc/PID/maps and /proc/modules, and read a process's mappings */
#include "daemon/collect/perf/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/collect/perf/proc_files.h"
#include "libutil/xalloc.h"

#define MAPS_BYTES_MAX	((size_t)16 << 20)
#define OPENED_AT_ONCE	64

struct maps_read {
	struct perf_cookies *cookies;
	struct perf_build_ids *ids;
	const char *proc;
	uint32_t tgid;
	struct perf_maps *maps;		/* so far; NULL: none */
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Read a number in @base at **at, which must be followed by @end; moves past that. */
static bool take_number(const char **at, unsigned int base, char end, uint64_t *ret)
{
	const char *c = *at;
	uint64_t n = 0;
	int digit;

	for (; (digit = hex_digit(*c)) >= 0 && (unsigned int)digit < base; c++)
		if (__builtin_mul_overflow(n, base, &n) ||
		    __builtin_add_overflow(n, (unsigned int)digit, &n))
			return false;
	if (c == *at || *c != end)
		return false;
	*at = c + 1;
	*ret = n;
	return true;
}

/* The kernel writes a newline in a path as "\012"; nothing else is escaped. */
static void restore_newlines(char *path)
{
	char *to = path;

	while (*path) {
		if (!strncmp(path, "\\012", 4)) {
			*to++ = '\n';
			path += 4;
		} else {
			*to++ = *path++;
		}
	}
	*to = 0;
}

bool perf_parse_maps_line(char *line, struct perf_maps_line *ret)
{
	struct perf_maps_line m = { 0 };
	const char *at = line;
	uint64_t major, minor;

	if (!take_number(&at, 16, '-', &m.start) || !take_number(&at, 16, ' ', &m.end))
		return false;
	if (strnlen(at, 5) < 5 || at[4] != ' ' || m.start >= m.end)
		return false;
	m.executable = at[2] == 'x';
	at += 5;
	if (!take_number(&at, 16, ' ', &m.offset) || !take_number(&at, 16, ':', &major) ||
	    !take_number(&at, 16, ' ', &minor))
		return false;
	m.major = (uint32_t)major;
	m.minor = (uint32_t)minor;
	/* the inode ends the line of a nameless mapping; some kernels leave a blank there */
	if (!take_number(&at, 10, ' ', &m.inode)) {
		if (!take_number(&at, 10, 0, &m.inode))
			return false;
		at--;
	}
	m.path = line + (at - line);
	m.path += strspn(m.path, " ");
	restore_newlines(m.path);
	*ret = m;
	return true;
}

bool perf_parse_module_line(const char *line, struct perf_module *ret)
{
	struct perf_module m = { 0 };
	size_t len = strcspn(line, " ");
	const char *at = line + len + 1;

	if (len == 0 || len >= sizeof(m.name) || line[len] != ' ')
		return false;
	memcpy(m.name, line, len);
	if (!take_number(&at, 10, ' ', &m.size))
		return false;
	/* then uses, users, state, address: "2 ext4,mbcache, Live 0xffffffffc0000000" */
	at = strstr(at, " 0x");
	if (!at)
		return false;
	m.start = strtoull(at + 3, NULL, 16);
	if (!m.start || !m.size || m.start + m.size < m.start)
		return false;
	*ret = m;
	return true;
}

/* The executable lines of @text, which their paths are in. */
static struct perf_maps_line *parse_maps(char *text, size_t *ret_nr)
{
	struct perf_maps_line *lines = NULL;
	size_t nr = 0, room = 0;
	char *rest;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		xgrow(lines, nr, room);
		nr += perf_parse_maps_line(line, &lines[nr]) && lines[nr].executable;
	}
	*ret_nr = nr;
	return lines;
}

static void add_lines(struct maps_read *r, const struct perf_maps_line *lines, size_t nr)
{
	struct opener_mapping mappings[OPENED_AT_ONCE];
	size_t nr_files = 0;

	for (size_t i = 0; i < nr; i++)
		if (lines[i].inode)
			mappings[nr_files++] = (struct opener_mapping){ lines[i].start,
								      lines[i].end, -1 };
	proc_files_open(r->proc, r->tgid, mappings, nr_files);
	nr_files = 0;
	for (size_t i = 0; i < nr; i++) {
		const struct perf_maps_line *m = &lines[i];
		struct perf_build build = { .generation = 0 };
		struct perf_image *image;

		if (m->inode)
			perf_build_ids_find(r->ids, &(struct perf_mapped_file){ r->proc, r->tgid,
					    m->inode, mappings[nr_files++].handle }, &build);
		image = perf_image_get(r->cookies, &(struct perf_image_key){
			m->path, m->major, m->minor, m->inode, build.generation, build.id });
		image->tgid = r->tgid;
		image->start = m->start;
		image->end = m->end;
		perf_maps_add(r->cookies, &r->maps, &(struct perf_mapping){
			m->start, m->end, m->offset, 0, image });
		perf_image_put(r->cookies, image);
	}
}

int perf_read_maps(struct perf_cookies *cookies, struct perf_build_ids *ids, const char *proc,
		   uint32_t tgid, struct perf_maps **ret)
{
	struct maps_read r = { cookies, ids, proc, tgid, NULL };
	struct perf_maps_line *lines;
	char *text;
	size_t nr;
	int err = proc_files_read_maps(proc, tgid, MAPS_BYTES_MAX, &text);

	*ret = NULL;
	if (err)
		return err;
	lines = parse_maps(text, &nr);
	for (size_t i = 0; i < nr; i += OPENED_AT_ONCE)
		add_lines(&r, lines + i, nr - i < OPENED_AT_ONCE ? nr - i : OPENED_AT_ONCE);
	free(lines);
	free(text);
	*ret = r.maps;
	return 0;
}

int perf_read_program(struct perf_cookies *cookies, const char *proc, uint32_t tgid,
		      const struct perf_maps *maps, struct perf_image **ret)
{
	char path[PATH_MAX];
	struct perf_image_key key = { .path = path };
	struct perf_image *image, *found = NULL;
	struct statx st;
	int fd, err = proc_files_read_program(proc, tgid, path, &fd);

	*ret = NULL;
	if (err)
		return err == -EAGAIN ? err : 0;
	/* cached values only: a FUSE server may never answer (mounts.h) */
	if (fd >= 0 && !statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &st)) {
		key.major = st.stx_dev_major;
		key.minor = st.stx_dev_minor;
		key.inode = st.stx_ino;
	}
	if (fd >= 0)
		close(fd);
	image = perf_image_get(cookies, &key);
	for (size_t i = 0; maps && i < maps->nr && !found; i++)
		if (!strcmp(maps->mappings[i].image->path, image->path))
			found = maps->mappings[i].image;
	if (found) {
		found->refs++;
		perf_image_put(cookies, image);
		image = found;
	}
	*ret = image;
	return 0;
}
