// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * process.c - follow every process through fork, exec, mmap and exit
 *
 * Records only report changes, so the initial state comes from /proc, with the time *before* it was
 * read: a change older than that is included, and a younger one is applied once more, which does
 * no harm. So no change is lost [PC-33].
 *
 * The hash table is not a libutil/table.h because processes are removed from it.
 */
#include "daemon/collect/perf/process.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/collect/perf/build_ids.h"
#include "daemon/collect/perf/clock.h"
#include "daemon/collect/perf/proc.h"
#include "libutil/hash.h"
#include "libutil/opener/ask.h"
#include "libutil/proc_stat.h"
#include "libutil/xalloc.h"

#define BUCKETS_MIN	256
#define READS_PER_DRAIN	64		/* many unknown processes must not stall the drain */
#define RETRY_NS	NS_PER_SECOND
#define LINGER_NS	NS_PER_SECOND	/* a task's last kernel samples come after its exit */
#define STALE_MIN	4096		/* mappings before /proc is read to drop stale ones */
#define TGID_GONE	((uint32_t)-1)

void perf_processes_init(struct perf_processes *p, struct perf_cookies *cookies, const char *proc)
{
	*p = (struct perf_processes){ .cookies = cookies, .proc = proc };
	p->nr_buckets = BUCKETS_MIN;
	p->buckets = xcalloc(p->nr_buckets, sizeof(*p->buckets));
	p->reads_left = READS_PER_DRAIN;
	p->build_ids = perf_build_ids_new();
	list_init(&p->exited);
}

static struct perf_process **bucket_of(const struct perf_processes *p, uint32_t tgid)
{
	return &p->buckets[hash_u64(tgid) & (p->nr_buckets - 1)];
}

static void forget_maps(struct perf_processes *p, struct perf_process *q)
{
	perf_maps_put(p->cookies, q->maps);
	q->maps = NULL;
}

static void set_program(struct perf_processes *p, struct perf_process *q, struct perf_image *image)
{
	if (image)
		image->refs++;
	if (image != q->program)
		q->entry.address = 0;
	perf_image_put(p->cookies, q->program);
	q->program = image;
	q->program_since = 0;
	q->wants_program = false;
}

static void process_free(struct perf_processes *p, struct perf_process *q)
{
	forget_maps(p, q);
	perf_image_put(p->cookies, q->program);
	list_del(&q->exited);
	free(q);
}

void perf_processes_free(struct perf_processes *p)
{
	struct perf_process *next;

	for (size_t i = 0; i < p->nr_buckets; i++) {
		for (struct perf_process *q = p->buckets[i]; q; q = next) {
			next = q->next;
			process_free(p, q);
		}
	}
	free(p->buckets);
	perf_build_ids_free(p->build_ids);
	*p = (struct perf_processes){ 0 };
}

struct perf_process *perf_process_find(const struct perf_processes *p, uint32_t tgid)
{
	struct perf_process *q;

	if (!p->nr)
		return NULL;
	for (q = *bucket_of(p, tgid); q && q->tgid != tgid; q = q->next)
		;
	return q;
}

static void grow(struct perf_processes *p)
{
	struct perf_process **old = p->buckets, *next;
	size_t nr_old = p->nr_buckets;

	p->nr_buckets *= 2;
	p->buckets = xcalloc(p->nr_buckets, sizeof(*p->buckets));
	for (size_t i = 0; i < nr_old; i++) {
		for (struct perf_process *q = old[i]; q; q = next) {
			struct perf_process **bucket = bucket_of(p, q->tgid);

			next = q->next;
			q->next = *bucket;
			*bucket = q;
		}
	}
	free(old);
}

static struct perf_process *find_or_add(struct perf_processes *p, uint32_t tgid)
{
	struct perf_process *q = perf_process_find(p, tgid), **bucket;

	if (q)
		return q;
	if (p->nr++ == p->nr_buckets)
		grow(p);
	q = xcalloc(1, sizeof(*q));
	q->tgid = tgid;
	q->read_again_at_nr = STALE_MIN;
	list_init(&q->exited);
	bucket = bucket_of(p, tgid);
	q->next = *bucket;
	*bucket = q;
	return q;
}

/* Move @q to the end of the list of exited processes. */
static void set_exited(struct perf_processes *p, struct perf_process *q, uint64_t when)
{
	q->exited_at = when;
	list_del(&q->exited);
	list_add_tail(&q->exited, &p->exited);
}

static void remove_process(struct perf_processes *p, struct perf_process *q)
{
	struct perf_process **at = bucket_of(p, q->tgid);

	while (*at != q)
		at = &(*at)->next;
	*at = q->next;
	p->nr--;
	p->generation++;
	process_free(p, q);
}

/* --- changes --- */

static void change_mmap(struct perf_processes *p, const struct perf_record *r)
{
	const struct perf_mmap *m = &r->mmap;
	struct perf_image_key key = { m->path, m->major, m->minor, m->inode, m->generation,
				      m->build_id };
	struct perf_process *q;
	struct perf_image *image;

	if (!m->executable)
		return;
	q = find_or_add(p, r->tgid);
	if (r->time < q->read_at)
		return;
	image = perf_image_get(p->cookies, &key);
	image->tgid = q->tgid;
	image->parent_tgid = q->parent_tgid;
	image->start = m->start;
	image->end = m->end;
	perf_maps_add(p->cookies, &q->maps, &(struct perf_mapping){ m->start, m->end, m->offset,
								    0, image });
	/* the kernel maps the program first, then its interpreter [PC-35] */
	if (q->wants_program && !image->anonymous)
		set_program(p, q, image);
	perf_image_put(p->cookies, image);
	if (q->maps->nr >= q->read_again_at_nr)
		perf_process_read_again(p, q->tgid);
}

static void begin_memory(struct perf_process *q, uint64_t when)
{
	if (when > q->memory_since)
		q->memory_since = when;
}

static void change_exec(struct perf_processes *p, const struct perf_record *r)
{
	struct perf_process *q = find_or_add(p, r->tgid);

	begin_memory(q, r->time);
	if (r->time < q->read_at)
		return;
	forget_maps(p, q);
	q->entry.address = 0;
	q->wants_program = true;	/* keep the old one until the new one is known */
	q->known = true;
	q->known_at = r->time;
	q->is_gone = false;
	q->read_again_at_nr = STALE_MIN;
}

static void change_fork(struct perf_processes *p, const struct perf_record *r)
{
	struct perf_process *q, *parent;

	if (r->tgid == r->parent_tgid)
		return;			/* a thread: it shares all */
	q = find_or_add(p, r->tgid);
	begin_memory(q, r->time);
	if (r->time < q->read_at)
		return;
	parent = perf_process_find(p, r->parent_tgid);
	forget_maps(p, q);
	q->maps = parent ? perf_maps_share(parent->maps) : NULL;
	set_program(p, q, parent ? parent->program : NULL);
	if (parent)
		q->entry = parent->entry;
	q->known = parent && parent->known;
	q->known_at = parent ? parent->known_at : 0;
	q->is_gone = false;
	q->program_since = parent ? parent->program_since : 0;
	q->wants_program = parent && parent->wants_program;
	q->parent_tgid = r->parent_tgid;
	q->read_again_at_nr = parent ? parent->read_again_at_nr : STALE_MIN;
	q->read_at = q->retry_at = 0;
	list_del(&q->exited);
}

/*
 * The leader's exit ends the process unless other threads remain, which perf_processes_tick()
 * checks. The maps stay until then, because the rest of the process may still be sampled.
 */
static void change_exit(struct perf_processes *p, const struct perf_record *r)
{
	struct perf_process *q = perf_process_find(p, r->tgid);

	if (q && r->tid == r->tgid && !perf_process_has_exited(q))
		set_exited(p, q, r->time);
}

void perf_processes_change(struct perf_processes *p, const struct perf_record *r)
{
	if (r->kind == PERF_KIND_LOST) {
		p->gap_at = perf_now();
		p->generation++;
		return;
	}
	if (r->tgid == TGID_GONE || r->tgid == 0)
		return;
	switch (r->kind) {
	case PERF_KIND_MMAP:
		change_mmap(p, r);
		break;
	case PERF_KIND_EXEC:
		change_exec(p, r);
		break;
	case PERF_KIND_FORK:
		change_fork(p, r);
		break;
	case PERF_KIND_EXIT:
		change_exit(p, r);
		return;
	default:
		return;
	}
	p->generation++;
}

/* A zombie, without threads, executes nothing: its parent may keep it forever. */
static bool is_zombie(const struct perf_processes *p, uint32_t tgid)
{
	struct proc_stat stat;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%u/stat", p->proc, tgid);
	return !proc_stat_read(path, &stat) && (stat.state == 'Z' || stat.state == 'X') &&
	       stat.nr_threads <= 1;
}

static bool is_gone(const struct perf_processes *p, uint32_t tgid)
{
	return (kill((pid_t)tgid, 0) < 0 && errno == ESRCH) || is_zombie(p, tgid);
}

void perf_processes_tick(struct perf_processes *p, uint64_t now)
{
	p->reads_left = READS_PER_DRAIN;
	perf_build_ids_tick(p->build_ids);
	while (!list_empty(&p->exited)) {
		struct perf_process *q = list_entry(p->exited.next, struct perf_process, exited);

		if (q->exited_at > now || now - q->exited_at < LINGER_NS)
			break;
		if (is_gone(p, q->tgid)) {
			remove_process(p, q);
			continue;
		}
		set_exited(p, q, now);	/* threads remain */
	}
}

/* --- /proc --- */

/*
 * Changes may be missing between what is known of @q (NULL: nothing) and now: what was mapped
 * before and still is was not replaced.
 */
static void keep_certain(const struct perf_process *q, struct perf_maps *maps, uint64_t now)
{
	for (size_t i = 0; maps && i < maps->nr; i++) {
		struct perf_mapping *m = &maps->mappings[i];
		const struct perf_mapping *old = q ? perf_maps_find(q->maps, m->start) : NULL;

		if (old && m->end <= old->end && m->image == old->image &&
		    m->offset - m->start == old->offset - old->start)
			m->since = old->since;
		else
			m->since = now;
	}
}

static int read_process(struct perf_processes *p, uint32_t tgid, bool may_be_kernels)
{
	uint64_t before = perf_now(), program_since = 0;
	struct perf_image *program;
	struct perf_process *q;
	struct perf_maps *maps;
	int err = perf_read_maps(p->cookies, p->build_ids, p->proc, tgid, &maps);

	if (err == -EAGAIN)
		return err;
	err = perf_read_program(p->cookies, p->proc, tgid, maps, &program);
	q = perf_process_find(p, tgid);
	if (err == -EAGAIN && !(q && q->program)) {
		perf_maps_put(p->cookies, maps);
		return err;
	}
	/* neither: a kernel thread, or its memory is gone; keep what is known */
	if (!maps && !program && !err && !may_be_kernels)
		return -ESRCH;
	if (p->gap_at && (!q || perf_process_is_stale(p, q))) {
		keep_certain(q, maps, before);
		program_since = q && q->program == program ? q->program_since : before;
		if (q)
			q->entry.address = 0;
	}
	q = find_or_add(p, tgid);
	q->retry_at = before + RETRY_NS;
	if (maps || program) {
		forget_maps(p, q);
		q->maps = maps;
		if (!err) {		/* else it is the one before, as far as is known */
			set_program(p, q, program);
			q->program_since = program_since;
			begin_memory(q, program_since);
		}
		perf_image_put(p->cookies, program);
		q->read_at = before;
		list_del(&q->exited);
	}
	q->known = true;
	q->known_at = before;
	q->is_gone = false;
	q->read_again_at_nr = maps && 2 * maps->nr > STALE_MIN ? 2 * maps->nr : STALE_MIN;
	p->generation++;
	return 0;
}

int perf_processes_read_all(struct perf_processes *p)
{
	uint32_t pids[OPENER_PIDS_MAX], after = 0;
	int nr;

	do {
		nr = opener_list(p->proc, after, pids);
		for (int i = 0; i < nr; i++) {
			read_process(p, pids[i], true);
			after = pids[i];
		}
	} while (nr == OPENER_PIDS_MAX);
	return nr < 0 ? nr : 0;
}

int perf_process_read_again(struct perf_processes *p, uint32_t tgid)
{
	struct perf_process *q = perf_process_find(p, tgid);
	bool may_wait;
	int err;

	may_wait = q && (q->is_gone || !perf_process_is_stale(p, q));
	if (!p->reads_left || (may_wait && perf_now() < q->retry_at))
		return -EAGAIN;
	p->reads_left--;
	p->reads++;
	err = read_process(p, tgid, false);
	if (!err)
		return 0;
	if (err == -EAGAIN) {		/* set aside (proc_files.h): others may be read instead */
		p->reads_left++;
		return err;
	}
	/* note the failure, or every sample of a dead process would read /proc again */
	q = find_or_add(p, tgid);
	q->retry_at = perf_now() + RETRY_NS;
	q->is_gone = true;
	/* a kernel thread has nothing more to read */
	q->known = !kill((pid_t)tgid, 0) || errno == EPERM;
	if (!perf_process_has_exited(q))
		set_exited(p, q, perf_now());
	return err;
}
