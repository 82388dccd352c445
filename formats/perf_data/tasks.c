// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tasks.c - processes: their mappings and names, as the records change them
 *
 * Processes that were forked share their mappings until one of them maps something. What can be
 * moved and copied is bounded by the size of the file, so that no order of records costs more
 * than linear time. Rules: doc/perf-data.md [PD-9]..[PD-12].
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "formats/perf_data/perf_data.h"
#include "formats/profile/named_images.h"
#include "libutil/hash.h"
#include "libutil/sorted.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define MAPPINGS_MAX	65536		/* of a process; the kernel's default limit is 65530 */
#define WORK_PER_BYTE	128		/* mappings moved */
#define WORK_ALWAYS	(1u << 24)
#define LIVE_SHARE	4		/* bytes of file for each mapping that exists */
#define LIVE_ALWAYS	65536
#define KERNEL_NAME	"[kernel.kallsyms]"
#define BUILD_ID_MAX	20

struct mappings {
	uint32_t refs;
	uint32_t nr, room;
	struct perf_mapping *all;	/* ascending, without overlaps */
};

struct process {
	uint32_t pid;
	struct mappings *mappings;	/* or NULL */
	struct mappings *before;	/* of the program that executed this one, or NULL */
};

struct thread {
	uint32_t tid, comm;		/* string of the profile */
};

struct perf_tasks {
	struct perf_data *d;
	struct process *processes;
	size_t nr_processes, room_processes;
	struct hash_table by_pid;
	struct thread *threads;
	size_t nr_threads, room_threads;
	struct hash_table by_tid;
	struct mappings kernel;
	struct hash_table images;	/* of the profile, by what is mapped where */
	uint64_t work_left, live_left;
};

struct perf_tasks *perf_tasks_new(struct perf_data *d)
{
	struct perf_tasks *t = xcalloc(1, sizeof(*t));
	uint64_t bytes = (uint64_t)d->size + d->unpacked;

	t->d = d;
	t->kernel.refs = 1;
	t->work_left = bytes * WORK_PER_BYTE + WORK_ALWAYS;
	t->live_left = bytes / LIVE_SHARE + LIVE_ALWAYS;
	return t;
}

static void release(struct perf_tasks *t, struct mappings **ret)
{
	struct mappings *m = *ret;

	*ret = NULL;
	if (!m || --m->refs)
		return;
	t->live_left += m->nr;
	free(m->all);
	free(m);
}

void perf_tasks_free(struct perf_tasks *t)
{
	for (size_t i = 0; i < t->nr_processes; i++) {
		release(t, &t->processes[i].mappings);
		release(t, &t->processes[i].before);
	}
	free(t->kernel.all);
	free(t->processes);
	free(t->threads);
	hash_table_free(&t->by_pid);
	hash_table_free(&t->by_tid);
	hash_table_free(&t->images);
	free(t);
}

static bool has_pid(const void *processes, uint32_t i, const void *pid)
{
	return ((const struct process *)processes)[i].pid == *(const uint32_t *)pid;
}

static struct process *find_process(struct perf_tasks *t, uint32_t pid)
{
	uint32_t at = hash_table_find(&t->by_pid, hash_u64(pid), has_pid, t->processes, &pid);

	return at == HASH_NONE ? NULL : &t->processes[at];
}

static struct process *get_process(struct perf_tasks *t, uint32_t pid)
{
	struct process *p = find_process(t, pid);

	if (p)
		return p;
	xgrow(t->processes, t->nr_processes, t->room_processes);
	t->processes[t->nr_processes] = (struct process){ .pid = pid };
	hash_table_add(&t->by_pid, hash_u64(pid), (uint32_t)t->nr_processes);
	return &t->processes[t->nr_processes++];
}

/* --- names --- */

static bool has_tid(const void *threads, uint32_t i, const void *tid)
{
	return ((const struct thread *)threads)[i].tid == *(const uint32_t *)tid;
}

uint32_t perf_tasks_comm(const struct perf_tasks *t, uint32_t tid)
{
	uint32_t at = hash_table_find(&t->by_tid, hash_u64(tid), has_tid, t->threads, &tid);

	if (at != HASH_NONE)
		return t->threads[at].comm;
	return tid ? 0 : profile_string(t->d->p, "swapper");
}

static void set_comm(struct perf_tasks *t, uint32_t tid, uint32_t comm)
{
	uint32_t at = hash_table_find(&t->by_tid, hash_u64(tid), has_tid, t->threads, &tid);

	if (at == HASH_NONE) {
		at = (uint32_t)t->nr_threads;
		xgrow(t->threads, t->nr_threads, t->room_threads);
		t->threads[t->nr_threads++].tid = tid;
		hash_table_add(&t->by_tid, hash_u64(tid), at);
	}
	t->threads[at].comm = comm;
}

/* --- mappings --- */

/* Index of the first mapping that ends after @address. */
static uint32_t find_mapping(const struct mappings *m, uint64_t address)
{
	return first_not(m->nr, i, m->all[i].end <= address);
}

static int spend(struct perf_tasks *t, uint64_t moved, uint64_t added)
{
	if (moved > t->work_left || added > t->live_left)
		return op_error_set(t->d->e, -EPROTO, "too many mappings for a file of this size");
	t->work_left -= moved;
	t->live_left -= added;
	return 0;
}

/* Replace the mappings [low, high) by @nr others. */
static int splice(struct perf_tasks *t, struct mappings *m, uint32_t low, uint32_t high,
		  const struct perf_mapping *with, uint32_t nr)
{
	uint32_t after = m->nr - high, total = low + nr + after;
	int err = spend(t, after + nr, total > m->nr ? total - m->nr : 0);

	if (err)
		return err;
	if (total < m->nr)
		t->live_left += m->nr - total;
	if (total > m->room) {
		m->room = total + total / 2 + 8;
		m->all = xrealloc_array(m->all, m->room, sizeof(*m->all));
	}
	if (after)
		memmove(m->all + low + nr, m->all + high, after * sizeof(*m->all));
	memcpy(m->all + low, with, nr * sizeof(*with));
	m->nr = total;
	return 0;
}

/* A new mapping hides what it covers of others. [PD-9] */
static int add_mapping(struct perf_tasks *t, struct mappings *m, const struct perf_mapping *new)
{
	uint32_t low = find_mapping(m, new->start), high = low, nr = 0;
	struct perf_mapping with[3];

	if (m->nr >= MAPPINGS_MAX)
		return 0;
	while (high < m->nr && m->all[high].start < new->end)
		high++;
	if (low < high && m->all[low].start < new->start) {
		with[nr] = m->all[low];
		with[nr++].end = new->start;
	}
	with[nr++] = *new;
	if (low < high && m->all[high - 1].end > new->end) {
		with[nr] = m->all[high - 1];
		with[nr].offset += new->end - with[nr].start;
		with[nr++].start = new->end;
	}
	return splice(t, m, low, high, with, nr);
}

/* The process's mappings, which nobody else uses. */
static int own_mappings(struct perf_tasks *t, struct process *p, struct mappings **ret)
{
	struct mappings *shared = p->mappings, *own;
	uint32_t nr = shared ? shared->nr : 0;
	int err;

	if (shared && shared->refs == 1) {
		*ret = shared;
		return 0;
	}
	err = spend(t, nr, nr);
	if (err)
		return err;
	own = xcalloc(1, sizeof(*own));
	*own = (struct mappings){ .refs = 1, .nr = nr, .room = nr };
	own->all = xmalloc((nr + 1) * sizeof(*own->all));
	if (nr)
		memcpy(own->all, shared->all, nr * sizeof(*own->all));
	release(t, &p->mappings);
	p->mappings = *ret = own;
	return 0;
}

static uint32_t hex_string(struct profile *p, const unsigned char *bytes, size_t size)
{
	char text[2 * BUILD_ID_MAX + 1] = "";

	for (size_t i = 0; i < size && i < BUILD_ID_MAX; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return profile_string(p, text);
}

/* "[name]" of a module's path or of "[name]". */
static uint32_t module_name(struct profile *p, const char *path)
{
	const char *base = strrchr(path, '/'), *suffix;
	struct strbuf name = STRBUF_INIT;
	uint32_t string;

	if (*path == '[')
		return profile_string(p, path);
	base = base ? base + 1 : path;
	suffix = strstr(base, ".ko");
	strbuf_add_char(&name, '[');
	for (; *base && base != suffix; base++)
		strbuf_add_char(&name, *base == '-' ? '_' : *base);
	strbuf_add_char(&name, ']');
	string = profile_string(p, name.text);
	strbuf_free(&name);
	return string;
}

static bool is_anonymous(const char *path)
{
	return !strcmp(path, "//anon") || !strncmp(path, "/dev/zero", 9) ||
	       !strncmp(path, "/anon_hugepage", 14);
}

/* [PD-10] */
static int map_kernel(struct perf_tasks *t, const char *path, struct perf_mapping *m)
{
	if (!strncmp(path, KERNEL_NAME, strlen(KERNEL_NAME))) {
		m->kind = PROFILE_KERNEL;
		m->path = profile_string(t->d->p, KERNEL_NAME);
		m->offset = m->start;	/* so that keys are addresses */
	} else {
		m->kind = PROFILE_KERNEL_MODULE;
		m->path = module_name(t->d->p, path);
	}
	return add_mapping(t, &t->kernel, m);
}

/* [PD-11] */
static int map_user(struct perf_tasks *t, uint32_t pid, const char *path, struct perf_mapping *m)
{
	struct mappings *mappings;
	char name[40];
	int err;

	if (is_anonymous(path)) {
		snprintf(name, sizeof(name), "/tmp/perf-%" PRIu32 ".map", pid);
		path = name;
	}
	m->kind = image_kind_of_name(path);
	m->path = profile_string(t->d->p, path);
	err = own_mappings(t, get_process(t, pid), &mappings);
	return err ? err : add_mapping(t, mappings, m);
}

/*
 * The build ID in a mapping's record. Linux 6.18 sets the mark also in records of events that did
 * not request build IDs, if those of another program did: then device numbers are in their place,
 * which nothing but the usual sizes tells apart. [PD-3]
 */
static size_t build_id_size(const struct perf_data *d, uint16_t misc, const unsigned char *id)
{
	size_t size = id[0];

	if (!(misc & PERF_RECORD_MISC_MMAP_BUILD_ID) || size > BUILD_ID_MAX || id[1] || id[2] ||
	    id[3])
		return 0;
	return d->has_build_ids || size == 16 || size == 20 ? size : 0;
}

static const char *build_path(const char *path)
{
	return strncmp(path, KERNEL_NAME, strlen(KERNEL_NAME)) ? path : KERNEL_NAME;
}

static int apply_mmap(struct perf_tasks *t, const struct perf_event_header *h, struct bytes b)
{
	struct perf_mapping m = { .image = PROFILE_NONE };
	uint16_t mode = h->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	const struct perf_build *build;
	uint32_t pid, tid, prot = PROT_EXEC, flags;
	struct bytes id = { 0 };
	uint64_t len;
	const char *path;
	size_t size;

	if (!take_u32(&b, &pid) || !take_u32(&b, &tid) || !take_u64(&b, &m.start) ||
	    !take_u64(&b, &len) || !take_u64(&b, &m.offset) ||
	    (h->type == PERF_RECORD_MMAP2 && (!take_part(&b, 24, &id) || !take_u32(&b, &prot) ||
					      !take_u32(&b, &flags))))
		return 0;
	path = take_string(&b);
	if (h->type == PERF_RECORD_MMAP && h->misc & PERF_RECORD_MISC_MMAP_DATA)
		return 0;
	if (!path || !len || !(prot & PROT_EXEC) || __builtin_add_overflow(m.start, len, &m.end))
		return 0;
	build = perf_build_find(t->d, build_path(path));
	size = id.at ? build_id_size(t->d, h->misc, id.at) : 0;
	if (size)
		m.build_id = hex_string(t->d->p, id.at + 4, size);
	else if (build)
		m.build_id = hex_string(t->d->p, build->id, build->id_size);
	if (mode == PERF_RECORD_MISC_KERNEL)
		return map_kernel(t, path, &m);
	if (mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER)
		return 0;
	return map_user(t, pid, path, &m);
}

/* A program replaces all mappings, but what led to it was mapped before. [PD-9] */
static int apply_comm(struct perf_tasks *t, const struct perf_event_header *h, struct bytes b)
{
	uint32_t pid, tid;
	struct process *p;
	const char *name;

	if (!take_u32(&b, &pid) || !take_u32(&b, &tid))
		return 0;
	name = take_string(&b);
	if (name)
		set_comm(t, tid, profile_string(t->d->p, name));
	p = h->misc & PERF_RECORD_MISC_COMM_EXEC ? find_process(t, pid) : NULL;
	if (p) {
		release(t, &p->before);
		p->before = p->mappings;
		p->mappings = NULL;
	}
	return 0;
}

static int apply_fork(struct perf_tasks *t, struct bytes b)
{
	uint32_t pid, parent, tid, parent_tid;
	struct process *from, *to;

	if (!take_u32(&b, &pid) || !take_u32(&b, &parent) || !take_u32(&b, &tid) ||
	    !take_u32(&b, &parent_tid))
		return 0;
	if (tid != parent_tid)
		set_comm(t, tid, perf_tasks_comm(t, parent_tid));
	if (pid == parent)
		return 0;
	get_process(t, parent);
	to = get_process(t, pid);
	release(t, &to->mappings);
	release(t, &to->before);
	from = find_process(t, parent);
	to->mappings = from->mappings;
	if (to->mappings)
		to->mappings->refs++;
	return 0;
}

/* Code that the kernel made, such as a BPF program. [PD-10] */
static int apply_ksymbol(struct perf_tasks *t, struct bytes b)
{
	struct perf_mapping m = { .image = PROFILE_NONE, .kind = PROFILE_KERNEL_MODULE };
	struct profile_function function = { 0 };
	uint16_t type, flags;
	const char *name;
	uint32_t len;

	if (!take_u64(&b, &m.start) || !take_u32(&b, &len) || !take_u16(&b, &type) ||
	    !take_u16(&b, &flags))
		return 0;
	name = take_string(&b);
	if (!name || !len || flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER ||
	    __builtin_add_overflow(m.start, len, &m.end))
		return 0;
	function.name = function.system_name = profile_string(t->d->p, name);
	m.function = profile_function(t->d->p, &function) + 1;
	m.path = profile_string(t->d->p, type == PERF_RECORD_KSYMBOL_TYPE_BPF ? "[bpf]" : "[ool]");
	m.offset = m.start;
	return add_mapping(t, &t->kernel, &m);
}

int perf_tasks_apply(struct perf_tasks *t, const struct perf_event_header *h, struct bytes b)
{
	switch (h->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return apply_mmap(t, h, b);
	case PERF_RECORD_COMM:
		return apply_comm(t, h, b);
	case PERF_RECORD_FORK:
		return apply_fork(t, b);
	case PERF_RECORD_KSYMBOL:
		return apply_ksymbol(t, b);
	}
	return 0;
}

/* --- images --- */

static bool is_image(const void *profile, uint32_t image, const void *wanted)
{
	const struct profile_image *a = &((const struct profile *)profile)->images[image];
	const struct profile_image *b = wanted;

	return a->path == b->path && a->build_id == b->build_id && a->start == b->start &&
	       a->limit == b->limit && a->offset == b->offset;
}

/* Of processes that mapped the same file at the same place, one image. */
static uint32_t make_image(struct perf_tasks *t, const struct perf_mapping *m)
{
	struct profile_image image = { .path = m->path, .build_id = m->build_id,
				       .kind = (enum profile_image_kind)m->kind };
	uint32_t at;
	uint64_t hash;

	if (m->kind != PROFILE_JIT && !m->function) {	/* of these addresses are all there is */
		image.start = m->start;
		image.limit = m->end;
		image.offset = m->offset;
	}
	hash = hash_mix(hash_mix(hash_mix(m->path, image.start), image.limit), image.offset);
	at = hash_table_find(&t->images, hash, is_image, t->d->p, &image);
	if (at == HASH_NONE) {
		at = profile_add_image(t->d->p, &image);
		hash_table_add(&t->images, hash, at);
	}
	return at;
}

static struct perf_mapping *mapping_at(const struct mappings *m, uint64_t address)
{
	uint32_t at = m ? find_mapping(m, address) : 0;

	return m && at < m->nr && m->all[at].start <= address ? &m->all[at] : NULL;
}

uint32_t perf_tasks_image(struct perf_tasks *t, uint32_t pid, enum perf_frame frame,
			  uint64_t address, uint32_t *ret_function)
{
	const struct process *p = frame == PERF_FRAME_KERNEL ? NULL : find_process(t, pid);
	struct perf_mapping *m = NULL;

	*ret_function = 0;
	if (frame == PERF_FRAME_KERNEL)
		m = mapping_at(&t->kernel, address);
	else if (p)
		m = mapping_at(p->mappings, address);
	if (!m && p && frame == PERF_FRAME_CALLED_KERNEL)
		m = mapping_at(p->before, address);
	if (!m)
		return PROFILE_NONE;
	if (m->image == PROFILE_NONE)
		m->image = make_image(t, m);
	*ret_function = m->function;
	return m->image;
}
