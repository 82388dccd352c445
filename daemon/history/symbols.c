// SPDX-License-Identifier: GPL-2.0-or-later
/* symbols.c - see symbols.h */
#include "daemon/history/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/collect/perf/mounts.h"
#include "daemon/history/symbols_pack.h"
#include "libdb/history/folder.h"
#include "libdb/session/session.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/list.h"
#include "libutil/log.h"
#include "libutil/quiet_path.h"
#include "libutil/sandbox/worker.h"
#include "libutil/thread.h"
#include "libutil/xalloc.h"

#define NICE		15
#define WANTED_MAX	16384	/* binaries that wait */
#define TRIES		3	/* a copy of a binary of a container is made within seconds */
#define NEW_FILE	".new"

/* Bounds for one binary. */
#define CPU_SECONDS	10
#define SECONDS		30
#define MEMORY_MAX	(4 * (uint64_t)SYMBOLS_UNPACKED_MAX)	/* bytes */
#define FILE_MAX	(UINT64_C(32) << 20)
#define PATIENCE_NS	((SECONDS + 10) * NS_PER_SECOND)

struct wanted {
	struct list_head list;		/* in queue or later */
	char *folder, *path, *build_id;
	unsigned int tries;
};

struct kept_symbols {
	char *dir, *proc;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool lines, ends, is_busy;
	int stop_fd;			/* readable when it ends */
	struct list_head queue;		/* to be tried, */
	struct list_head later;		/* and again when more are wanted */
	size_t nr;

	/* the thread's */
	uint64_t room, made;		/* bytes for a segment; those of new files for this one: */
	char *folder;
};

static void free_wanted(struct wanted *w)
{
	free(w->folder);
	free(w->path);
	free(w->build_id);
	free(w);
}

/* --- one file --- */

/* [a confined process] @fds: the binary, and the new file. */
static void run(const struct worker_task *task, const int *fds, int out)
{
	struct elf_file f;
	void *packed = NULL;
	int32_t err = elf_file_open(fds[0], &f);
	size_t n = 0;

	if (!err)
		err = symbols_pack(&f, task->argument[0], &packed, &n);
	if (!err)
		err = file_write_fd(fds[1], packed, n);
	(void)file_write_fd(out, &err, sizeof(err));
}

static int pack_apart(const struct kept_symbols *k, int from, int to)
{
	const struct worker_task task = {
		.run = run,
		.sandbox = { .memory = MEMORY_MAX, .file_size = FILE_MAX,
			     .cpu_seconds = CPU_SECONDS, .seconds = SECONDS },
		.nice = NICE,
		.argument = { k->lines },
	};
	const int fds[] = { from, to };
	int answer = worker_run(&task, fds, 2);
	int32_t err;

	if (answer < 0)
		return answer;
	if (!worker_read(answer, k->stop_fd, now_ns() + PATIENCE_NS, &err, sizeof(err)) ||
	    !worker_is_error(err))
		err = -ECANCELED;
	close(answer);
	return err;
}

/* The profiled build: at its path, or the copy that the session has. */
static int open_binary(const struct kept_symbols *k, const struct wanted *w)
{
	int fd = perf_open_build(k->proc, w->path, w->build_id);
	char *copy;

	if (fd >= 0)
		return fd;
	copy = xasprintf("%s/stats/" SESSION_BINARIES "/%s", w->folder, w->build_id);
	fd = open(copy, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	free(copy);
	return fd < 0 ? -errno : fd;
}

/* Who may read the binary may read its symbols. */
static int make_new(const struct kept_symbols *k, int binary, const char *path)
{
	struct stat st;
	int to, err = quiet_stat(binary, &st);

	if (err)
		return err;
	(void)mkdir(k->dir, 0755);
	(void)unlink(path);
	to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0)
		return -errno;
	if (st.st_mode & S_IROTH && fchmod(to, 0644))
		err = -errno;
	if (!err)
		err = pack_apart(k, binary, to);
	close(to);
	return err;
}

/* Users can make any number of large binaries. */
static bool has_room(struct kept_symbols *k, const char *folder)
{
	if (!k->folder || strcmp(k->folder, folder) != 0) {
		free(k->folder);
		k->folder = xstrdup(folder);
		k->made = 0;
	}
	return k->made < k->room;
}

/* It has a link before it has its name, so that it is not removed as if nobody needed it. */
static int make_file(struct kept_symbols *k, const struct wanted *w, const char *file,
		     const char *link_path)
{
	char *new = path_join(k->dir, NEW_FILE);
	int binary = has_room(k, w->folder) ? open_binary(k, w) : -EDQUOT;
	int err = binary < 0 ? binary : make_new(k, binary, new);
	struct stat st;

	if (!err && (link(new, link_path) || rename(new, file)))
		err = -errno;
	if (!err && !stat(file, &st))
		k->made += (uint64_t)st.st_size;
	if (binary >= 0)
		close(binary);
	if (err)
		(void)unlink(new);
	free(new);
	return err;
}

/* 0: the segment has it. -ENOENT: there is no segment any more. */
static int keep(struct kept_symbols *k, const struct wanted *w)
{
	char *name = history_symbols_name(w->build_id), *file = path_join(k->dir, name);
	char *links = path_join(w->folder, HISTORY_SYMBOLS), *link_path = path_join(links, name);
	int err = 0;

	if (mkdir(links, 0755) && errno != EEXIST)
		err = -errno;
	else if (!file_exists(link_path) && link(file, link_path))
		err = errno == ENOENT ? make_file(k, w, file, link_path) : -errno;
	free(link_path);
	free(links);
	free(file);
	free(name);
	return err;
}

/* --- the thread --- */

static void *symbols_main(void *context)
{
	struct kept_symbols *k = context;

	(void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	pthread_mutex_lock(&k->lock);
	while (!k->ends) {
		struct wanted *w;
		int err;

		k->is_busy = !list_empty(&k->queue);
		pthread_cond_broadcast(&k->changed);
		if (!k->is_busy) {
			pthread_cond_wait(&k->changed, &k->lock);
			continue;
		}
		w = list_entry(k->queue.next, struct wanted, list);
		list_del(&w->list);
		pthread_mutex_unlock(&k->lock);
		err = keep(k, w);
		if (err && w->tries + 1 == TRIES)
			log_about(LOG_MISC, "cannot keep the symbols of '%s', build ID %.8s: %s",
				  w->path, w->build_id, strerror(-err));
		pthread_mutex_lock(&k->lock);
		if (err && ++w->tries < TRIES) {
			list_add_tail(&w->list, &k->later);
		} else {
			free_wanted(w);
			k->nr--;
		}
	}
	pthread_mutex_unlock(&k->lock);
	return NULL;
}

int kept_symbols_start(const char *history, const char *proc, uint64_t room, bool lines,
		       struct kept_symbols **ret)
{
	struct kept_symbols *k = xcalloc(1, sizeof(*k));
	int err;

	k->dir = path_join(history, HISTORY_SYMBOLS);
	k->proc = xstrdup(proc);
	k->room = room;
	k->lines = lines;
	list_init(&k->queue);
	list_init(&k->later);
	lock_init(&k->lock);
	pthread_cond_init(&k->changed, NULL);
	k->stop_fd = eventfd(0, EFD_CLOEXEC);
	err = k->stop_fd < 0 ? -errno : 0;
	if (!err) {
		k->is_busy = true;
		err = thread_start(&k->thread, symbols_main, k);
	}
	if (err) {
		k->ends = true;
		kept_symbols_stop(k);
	} else {
		*ret = k;
	}
	return err;
}

static void free_list(struct list_head *list)
{
	struct wanted *w, *next;

	list_for_each_entry_safe(w, next, list, list)
		free_wanted(w);
}

void kept_symbols_stop(struct kept_symbols *k)
{
	if (!k)
		return;
	if (!k->ends) {
		pthread_mutex_lock(&k->lock);
		k->ends = true;
		(void)eventfd_write(k->stop_fd, 1);
		pthread_cond_broadcast(&k->changed);
		pthread_mutex_unlock(&k->lock);
		pthread_join(k->thread, NULL);
	}
	free_list(&k->queue);
	free_list(&k->later);
	if (k->stop_fd >= 0)
		close(k->stop_fd);
	pthread_cond_destroy(&k->changed);
	pthread_mutex_destroy(&k->lock);
	free(k->folder);
	free(k->proc);
	free(k->dir);
	free(k);
}

static void want(struct kept_symbols *k, const char *folder, const struct stack_image *image)
{
	char *name = history_symbols_name(image->build_id);
	struct wanted *w;

	if (image->name.kind == IMAGE_FILE && name && k->nr < WANTED_MAX) {
		w = xcalloc(1, sizeof(*w));
		w->folder = xstrdup(folder);
		w->path = xstrdup(image->name.path);
		w->build_id = xstrdup(image->build_id);
		list_add_tail(&w->list, &k->queue);
		k->nr++;
	}
	free(name);
}

void kept_symbols_want(struct kept_symbols *k, const char *folder,
		       const struct stack_image *images, size_t nr)
{
	pthread_mutex_lock(&k->lock);
	while (!list_empty(&k->later)) {
		struct list_head *first = k->later.next;

		list_del(first);
		list_add_tail(first, &k->queue);
	}
	for (size_t i = 0; i < nr; i++)
		want(k, folder, &images[i]);
	k->is_busy = true;
	pthread_cond_broadcast(&k->changed);
	pthread_mutex_unlock(&k->lock);
}

void kept_symbols_wait(struct kept_symbols *k)
{
	pthread_mutex_lock(&k->lock);
	while (k->is_busy)
		pthread_cond_wait(&k->changed, &k->lock);
	pthread_mutex_unlock(&k->lock);
}
