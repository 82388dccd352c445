// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * look.c - find the descriptors of a process by the files that it maps, and have what they lead to
 * copied
 *
 * A process can make each of these steps wait: by memory that is a file on a server of its own, for
 * one. So all of them are one errand, whose place is the user.
 */
#include "daemon/collect/registered/look.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/collect/perf/proc.h"
#include "daemon/collect/registered/descriptor.h"
#include "libutil/clock.h"
#include "libutil/errand.h"
#include "libutil/hash.h"
#include "libutil/opener/ask.h"
#include "libutil/opener/objects.h"
#include "libutil/opener/registered.h"
#include "libutil/quiet_path.h"

#define FILES_MAX	256		/* of a process, mapped for writing; then no more */
#define LINES_MAX	65536		/* of maps */
#define KNOWN_SLOTS	1024
#define KNOWN_NS	(300 * NS_PER_SECOND)	/* inodes are used again */

/* A private mapping for writing of a file: where a file's variables are. */
struct mapped {
	uint64_t start, end, offset;
	uint32_t major, minor;
	uint64_t inode;
	bool is_known;
	struct registered_place found;	/* offsets of the variables; 0: none */
};

struct look {
	struct errand errand;
	uint32_t pid;
	uint32_t number;		/* the rest: for code objects */
	uint64_t objects[OBJECTS_MAX];
	size_t nr;
};

/* ---- files that were searched, for all threads ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct known {
	uint64_t inode, device, until_ns;
	struct registered_place offset;
} known[KNOWN_SLOTS];

static struct known *slot_of(const struct mapped *m, uint64_t *ret_device)
{
	const uint64_t key[] = { m->inode, (uint64_t)m->major << 32 | m->minor };

	*ret_device = key[1];
	return &known[hash_foreign(key, sizeof(key)) % KNOWN_SLOTS];
}

static void recall(struct mapped *m)
{
	const struct known *k;
	uint64_t device;

	pthread_mutex_lock(&lock);
	k = slot_of(m, &device);
	m->is_known = k->inode == m->inode && k->device == device && now_ns() < k->until_ns;
	m->found = m->is_known ? k->offset : (struct registered_place){ 0 };
	pthread_mutex_unlock(&lock);
}

static void keep(struct mapped *m, struct registered_place offset)
{
	struct known *k;
	uint64_t device;

	pthread_mutex_lock(&lock);
	k = slot_of(m, &device);
	*k = (struct known){ m->inode, device, now_ns() + KNOWN_NS, offset };
	pthread_mutex_unlock(&lock);
	m->is_known = true;
	m->found = offset;
}

/* ---- the look ---- */

static bool is_written_privately(const char *line)
{
	const char *rights = strchr(line, ' ');

	return rights && strlen(rights) > 4 && rights[2] == 'w' && rights[4] == 'p';
}

static bool read_line(char *line, struct mapped *ret)
{
	struct perf_maps_line l;

	line[strcspn(line, "\n")] = '\0';
	if (!is_written_privately(line) || !perf_parse_maps_line(line, &l) || !l.inode)
		return false;
	*ret = (struct mapped){ .start = l.start, .end = l.end, .offset = l.offset,
				.major = l.major, .minor = l.minor, .inode = l.inode };
	return true;
}

static size_t read_maps(uint32_t pid, struct mapped *m)
{
	size_t nr = 0, lines = 0, size = 0;
	char path[40], *line = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	f = opener_fopen(path);
	while (f && nr < FILES_MAX && lines++ < LINES_MAX && getline(&line, &size, f) > 0)
		nr += read_line(line, &m[nr]);
	free(line);
	if (f)
		fclose(f);
	return nr;
}

/* Search the @nr files of @m, up to DESCRIPTOR_FILES_MAX. */
static void search(uint32_t pid, struct mapped *const *m, size_t nr)
{
	struct opener_mapping mappings[DESCRIPTOR_FILES_MAX];
	struct mapped *opened[DESCRIPTOR_FILES_MAX];
	struct registered_place offsets[DESCRIPTOR_FILES_MAX];
	int fds[DESCRIPTOR_FILES_MAX];
	size_t nr_fds = 0;

	for (size_t i = 0; i < nr; i++)
		mappings[i] = (struct opener_mapping){ m[i]->start, m[i]->end, -1 };
	opener_map_files("/proc", pid, mappings, nr);
	for (size_t i = 0; i < nr; i++) {
		if (mappings[i].handle < 0)
			continue;
		fds[nr_fds] = quiet_open_file(mappings[i].handle);
		close(mappings[i].handle);
		opened[nr_fds] = m[i];
		nr_fds += fds[nr_fds] >= 0;
	}
	if (nr_fds && !descriptor_find_apart(fds, nr_fds, offsets))
		for (size_t i = 0; i < nr_fds; i++)
			keep(opened[i], offsets[i]);
	for (size_t i = 0; i < nr_fds; i++)
		close(fds[i]);
}

static void search_all(uint32_t pid, struct mapped *m, size_t nr)
{
	struct mapped *batch[DESCRIPTOR_FILES_MAX];
	size_t nr_batch = 0;

	for (size_t i = 0; i < nr; i++) {
		recall(&m[i]);
		if (!m[i].is_known)
			batch[nr_batch++] = &m[i];
		if (nr_batch == DESCRIPTOR_FILES_MAX || (nr_batch && i + 1 == nr)) {
			search(pid, batch, nr_batch);
			nr_batch = 0;
		}
	}
}

/* The address of the variable at @offset of the file, if @m has it; else 0. */
static uint64_t address_of(const struct mapped *m, uint64_t offset)
{
	return offset && offset - m->offset < m->end - m->start ?
	       m->start + (offset - m->offset) : 0;
}

static int run(struct errand *errand)
{
	struct look *l = (struct look *)errand;
	struct registered_place places[REGISTERED_LISTS_MAX];
	struct mapped *m = calloc(FILES_MAX, sizeof(*m));
	size_t nr = 0, nr_files;
	int fd;

	if (!m)
		return -ENOMEM;
	nr_files = read_maps(l->pid, m);
	search_all(l->pid, m, nr_files);
	for (size_t i = 0; i < nr_files && nr < REGISTERED_LISTS_MAX; i++) {
		places[nr].symbol = address_of(&m[i], m[i].found.symbol);
		places[nr].types = address_of(&m[i], m[i].found.types);
		nr += places[nr].symbol && !places[nr].types == !m[i].found.types;
	}
	free(m);
	fd = nr ? opener_registered(l->pid, places, nr) : -ENOENT;
	l->errand.opened = fd < 0 ? -1 : fd;
	return fd < 0 ? fd : 0;
}

static int run_objects(struct errand *errand)
{
	struct look *l = (struct look *)errand;
	int fd = opener_objects(l->pid, l->number, l->objects, l->nr);

	l->errand.opened = fd < 0 ? -1 : fd;
	return fd < 0 ? fd : 0;
}

static int look(struct look *l, uint32_t pid, uid_t uid)
{
	int err;

	l->pid = pid;
	l->errand.fd = -1;
	l->errand.kind = ERRAND_MEMORY;
	l->errand.place = hash_mix((uint64_t)(uintptr_t)run, uid);
	err = errand_run(&l->errand, sizeof(*l));
	return err ? err : l->errand.opened;
}

int registered_look(uint32_t pid, uid_t uid)
{
	struct look l = { .errand = { .run = run } };

	return look(&l, pid, uid);
}

int registered_look_objects(uint32_t pid, uid_t uid, uint32_t number, const uint64_t *objects,
			    size_t nr)
{
	struct look l = { .errand = { .run = run_objects }, .number = number, .nr = nr };

	if (nr > OBJECTS_MAX)
		return -EINVAL;
	memcpy(l.objects, objects, nr * sizeof(*objects));
	return look(&l, pid, uid);
}
