// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * keeper.c - see keeper.h
 *
 * There is one job at most. The caller fills it in while the thread waits, and the thread works on
 * it without the lock.
 */
#include "daemon/history/keeper.h"
#include "daemon/history/symbols.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libdb/history/folder.h"
#include "libdb/session/name.h"
#include "libdb/session/session.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/log.h"
#include "libutil/table.h"
#include "libutil/thread.h"
#include "libutil/xalloc.h"

#define NICE	10	/* the thread may take its time */
#define SYMBOLS_PART	8	/* of the quota: new symbols of a segment */

struct job {
	char *folder, *store;
	unsigned int number;		/* of it */
	int64_t folder_begin_ns;
	int stats;			/* descriptor of the session's stats/; -1: none */
	int64_t begin_ns, end_ns;
	struct numbers numbers;
	bool is_last;
};

struct history {
	struct history_config config;
	char *dir, *proc;
	unsigned int next_number;
	char *folder, *store;		/* of the segment that is being filled; NULL: none */
	int64_t folder_begin_ns;
	bool wants_segment;		/* atomic: that one cannot be continued */

	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_busy, ends;		/* a job is there; no more will come */
	struct job job;

	/* the thread's */
	struct op_error trouble;	/* the last failure, or "" */
	struct history_writer *writer;
	char *written;			/* its folder */
	size_t nr_wanted;		/* of its images, whose symbols are wanted */
	struct kept_symbols *symbols;
	struct kept_folders folders;
	int64_t carry_begin_ns;		/* of slices that could not be written; 0: none */
	struct numbers carry;
	struct gauges gauges;		/* at the end of the last slice */
};

static void set_trouble(struct history *h, const char *text)
{
	bool is_new = strcmp(h->trouble.text, text) != 0;

	snprintf(h->trouble.text, sizeof(h->trouble.text), "%s", text);
	if (is_new && *text)
		log_line("cannot write the history: %s; retrying", text);
	else if (is_new)
		log_line("the history can be written again");
}

/* --- links to the session's files --- */

/* The kernel's symbols have a second file, kernel-symbols.HASH. */
static bool is_linked(const char *name)
{
	static const char *const names[] = {
		SESSION_INFO_FILE, "kernel-symbols", "processes", "event-times", SESSION_VDSO_FILE,
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return !strncmp(name, "kernel-symbols.", 15) && !strchr(name + 15, '.');
}

static void link_file(int from, int to, const char *name)
{
	struct stat a, b;

	if (fstatat(from, name, &a, AT_SYMLINK_NOFOLLOW) || !S_ISREG(a.st_mode))
		return;
	if (!fstatat(to, name, &b, AT_SYMLINK_NOFOLLOW)) {
		if (a.st_ino == b.st_ino)
			return;
		(void)unlinkat(to, name, 0);
	}
	if (linkat(from, name, to, name, 0) && errno != ENOENT)
		log_about(LOG_MISC, "cannot link '%s' into the history: %s", name,
			  strerror(errno));
}

/* Link the files of the folder @from, which is closed, for which @wanted is true (NULL: all). */
static void link_files(int from, const char *to_path, bool (*wanted)(const char *name))
{
	int to = file_make_dirs(to_path, 0755) ? -1
						: open(to_path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	DIR *dir = fdopendir(from);
	struct dirent *entry;

	while (to >= 0 && dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && (!wanted || wanted(entry->d_name)))
			link_file(from, to, entry->d_name);
	if (to >= 0)
		close(to);
	if (dir)
		closedir(dir);
	else
		close(from);
}

/* @folder: of @stats, or below it; @wanted as for link_files(). */
static void link_session(int stats, const char *folder, const char *segment_folder,
			 bool (*wanted)(const char *name))
{
	int from = openat(stats, folder, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	char *to_stats = path_join(segment_folder, "stats"), *to = path_join(to_stats, folder);

	if (from >= 0)
		link_files(from, to, wanted);
	free(to_stats);
	free(to);
}

/* {root}APP/{dep}/{anon:NAME}/TGID.jo, malloc'd. NULL: no program is known, or a bad name. */
static char *object_path(const struct stack_image *image)
{
	struct sample_name name = {
		.app = { .kind = IMAGE_FILE, .path = image->build_id },
		.image = { .kind = IMAGE_JIT, .path = image->name.path,
			   .anon_tgid = image->name.anon_tgid },
		.event = "x", .tgid = SAMPLE_ALL, .tid = SAMPLE_ALL, .cpu = SAMPLE_ALL,
	};
	struct strbuf path = STRBUF_INIT;

	if (*image->build_id != '/' || sample_name_format(&name, &path)) {
		strbuf_free(&path);
		return NULL;
	}
	*strrchr(path.text, '/') = '\0';	/* the event */
	return strbuf_steal(&path);
}

/* @samples: the session's folder, or that of a part of it. */
static void link_object(int samples, const char *folder, const char *object)
{
	int to = open(folder, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	char *path = path_join(folder, object);
	struct stat st;

	if (to >= 0 && !fstatat(samples, object, &st, AT_SYMLINK_NOFOLLOW) &&
	    !file_make_parent_dirs(path, 0755))
		link_file(samples, to, object);
	if (to >= 0)
		close(to);
	free(path);
}

static bool is_same_process(const void *images, uint32_t i, const void *image)
{
	const struct stack_image *a = (const struct stack_image *)images + i, *b = image;

	return a->name.anon_tgid == b->name.anon_tgid && !strcmp(a->name.path, b->name.path) &&
	       !strcmp(a->build_id, b->build_id);
}

/* The object of JIT code that each process of @images has there. They may be very many. */
static void link_objects_of(int samples, const char *folder, const struct stack_image *images,
			    size_t nr)
{
	struct hash_table done = { .slots = NULL };

	for (uint32_t i = 0; i < nr; i++) {
		const struct stack_image *image = &images[i];
		uint64_t hash = hash_mix(hash_string(image->build_id), image->name.anon_tgid);
		char *object;

		if (image->name.kind != IMAGE_ANON ||
		    hash_table_find(&done, hash, is_same_process, images, image) != HASH_NONE)
			continue;
		hash_table_add(&done, hash, i);
		object = object_path(image);
		if (object)
			link_object(samples, folder, object);
		free(object);
	}
	hash_table_free(&done);
}

/* Also those of the session's parts, which control groups make [SS-60]. */
static void link_objects(struct history *h, const struct job *job)
{
	size_t nr;
	const struct stack_image *images = history_writer_images(h->writer, &nr);
	int samples = openat(job->stats, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (unsigned int part = 0; samples >= 0; part++) {
		char name[32];

		link_objects_of(samples, job->folder, images, nr);
		close(samples);
		snprintf(name, sizeof(name), "parts/%u", part);
		samples = openat(job->stats, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
}

/* --- slices --- */

static void close_writer(struct history *h)
{
	h->writer = history_writer_close(h->writer);
	free(h->written);
	h->written = NULL;
	h->nr_wanted = 0;
}

static int open_writer(struct history *h, const char *folder, struct op_error *e)
{
	char *path;
	int err;

	if (h->written && !strcmp(h->written, folder))
		return 0;
	close_writer(h);
	path = path_join(folder, HISTORY_SEGMENT);
	err = history_writer_open(path, &h->writer, e);
	if (!err) {
		h->written = xstrdup(folder);
		if (history_writer_cut(h->writer))
			log_line("cut off %llu bytes of '%s', which a crash had left of a slice",
				 (unsigned long long)history_writer_cut(h->writer), path);
	}
	free(path);
	return err;
}

/*
 * The store's time says until when it was filled, at least, if the slice cannot be written and the
 * daemon is killed.
 */
static void date_store(const char *store, int64_t end_ns)
{
	const struct timespec at = { .tv_sec = end_ns / (int64_t)NS_PER_SECOND,
				     .tv_nsec = end_ns % (int64_t)NS_PER_SECOND };
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, at };

	(void)utimensat(AT_FDCWD, store, times, AT_SYMLINK_NOFOLLOW);
}

static void want_symbols(struct history *h)
{
	size_t nr;
	const struct stack_image *images = history_writer_images(h->writer, &nr);

	kept_symbols_want(h->symbols, h->written, images + h->nr_wanted, nr - h->nr_wanted);
	h->nr_wanted = nr;
}

/*
 * Without samples and numbers there was no slice. A writer that failed is opened again, because it
 * does not know what of its block is written.
 */
static int add_slice(struct history *h, const char *folder, const char *store,
		     struct history_slice *slice, struct numbers *numbers, struct op_error *e)
{
	struct history_number list[NUMBERS_MAX];
	int err;

	slice->nr_numbers = numbers_list(numbers, list);
	slice->numbers = list;
	if (!slice->nr_numbers && !file_exists(store))
		return 0;
	date_store(store, slice->end_ns);
	err = open_writer(h, folder, e);
	if (!err)
		err = history_writer_add(h->writer, slice, store, e);
	if (err)
		close_writer(h);
	else
		want_symbols(h);
	return err;
}

/* The segment is complete: it needs its store no longer, nor its folder, if it has no slice. */
static void close_folder(struct kept_folder *f, const char *store)
{
	char *segment = path_join(f->at.path, HISTORY_SEGMENT);

	f->is_open = false;
	f->is_unordered = file_exists(segment);
	(void)unlink(store);
	if (!f->is_unordered)
		(void)file_remove_tree(f->at.path);
	free(segment);
}

static void carry_on(struct history *h, const struct job *job)
{
	if (!h->carry_begin_ns)
		h->carry_begin_ns = job->begin_ns;
	numbers_add_all(&h->carry, &job->numbers);
}

static void forget_carried(struct history *h)
{
	h->carry_begin_ns = 0;
	h->carry.nr = 0;
}

/* Not those of a time in which nothing was sampled. */
static void add_gauges(struct history *h, struct job *job)
{
	struct gauges now;

	gauges_read(h->proc, &now);
	if (job->end_ns > job->begin_ns)
		numbers_add_gauges(&job->numbers, &h->gauges, &now);
	h->gauges = now;
}

/* --- what was left --- */

static void set_store_aside(const char *folder, const char *store, const char *why)
{
	char *aside = xasprintf("%s.broken", store);

	log_line("cannot complete '%s': %s; samples since its last slice are in '%s'", folder, why,
		 aside);
	(void)rename(store, aside);
	free(aside);
}

/* When the store was filled last, as far as is known. */
static int64_t filled_ns(const char *store)
{
	struct stat st;

	if (lstat(store, &st))
		return 0;
	return (int64_t)st.st_mtim.tv_sec * (int64_t)NS_PER_SECOND + st.st_mtim.tv_nsec;
}

/*
 * The samples in the store were taken after the last slice, until the daemon was killed: within a
 * slice's time, if it could write. A power cut may have left a store that does not fit.
 */
static int complete_store(struct history *h, const struct history_folder *f, const char *store,
			  struct op_error *e)
{
	struct numbers none = { .nr = 0 };
	struct history_slice slice = { .begin_ns = f->begin_ns };
	int err = open_writer(h, f->path, e);

	if (err)
		return err;
	if (history_writer_end_ns(h->writer))
		slice.begin_ns = history_writer_end_ns(h->writer);
	slice.end_ns = filled_ns(store);
	if (slice.end_ns < slice.begin_ns + h->config.slice_ns)
		slice.end_ns = slice.begin_ns + h->config.slice_ns;
	err = add_slice(h, f->path, store, &slice, &none, e);
	close_writer(h);
	return err;
}

static void complete(struct history *h, struct kept_folder *f)
{
	char *store = path_join(f->at.path, HISTORY_STORE);
	struct op_error e = { "" };
	int err = 0;

	if (file_exists(store))
		err = complete_store(h, &f->at, store, &e);
	if (err == -ENODATA)		/* the daemon was killed while it made the store */
		err = 0;
	f->is_open = err && err != -EPROTO && err != -ESTALE;
	if (!err)
		close_folder(f, store);
	else if (f->is_open)
		log_line("cannot complete '%s' yet: %s", f->at.path, e.text);
	else
		set_store_aside(f->at.path, store, e.text);
	free(store);
}

/* Segments that a failure or a kill left, below @number: the caller fills the others already. */
static void complete_left(struct history *h, unsigned int number)
{
	for (size_t i = 0; i < h->folders.nr; i++)
		if (h->folders.list[i].is_open && h->folders.list[i].at.number < number)
			complete(h, &h->folders.list[i]);
}

static int try_slice(struct history *h, struct job *job, struct op_error *e)
{
	struct history_slice slice = { .end_ns = job->end_ns };
	int err;

	if (!file_is_dir(job->folder))
		return op_error_set(e, -ENOENT, "'%s' was removed, and with it samples that were "
				    "kept there only", job->folder);
	slice.begin_ns = h->carry_begin_ns < job->end_ns ? h->carry_begin_ns : job->end_ns;
	link_session(job->stats, ".", job->folder, is_linked);
	link_session(job->stats, SESSION_BINARIES, job->folder, NULL);
	if (!history_make_room(&h->folders, &h->config, job->number, job->end_ns)) {
		date_store(job->store, job->end_ns);
		return op_error_set(e, -ENOSPC, "less than 64 MB of the disk are free");
	}
	err = add_slice(h, job->folder, job->store, &slice, &h->carry, e);
	if (!err && h->writer)
		link_objects(h, job);
	return err;
}

static void write_slice(struct history *h, struct job *job)
{
	struct op_error e = { "" };
	bool is_lasting;
	int err;

	kept_folders_add(&h->folders, job->number, job->folder_begin_ns);
	add_gauges(h, job);
	carry_on(h, job);
	err = try_slice(h, job, &e);
	is_lasting = err == -ENOENT || err == -EPROTO || err == -ESTALE || err == -EFBIG;
	set_trouble(h, err ? e.text : "");
	if (is_lasting && !job->is_last)
		__atomic_store_n(&h->wants_segment, true, __ATOMIC_RELAXED);
	if (!err)
		forget_carried(h);
	if (!err && job->is_last) {
		close_writer(h);
		close_folder(&h->folders.list[h->folders.nr - 1], job->store);
	}
	if (job->is_last)
		h->carry_begin_ns = 0;	/* its samples are completed later */
	if (!err || is_lasting)
		complete_left(h, job->number + (job->is_last && is_lasting));
	(void)history_roll_up(&h->folders, &h->config, job->number, job->end_ns);
}

/* --- the thread --- */

static void *keeper_main(void *context)
{
	struct history *h = context;

	(void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	gauges_read(h->proc, &h->gauges);
	pthread_mutex_lock(&h->lock);
	for (;;) {
		while (!h->is_busy && !h->ends)
			pthread_cond_wait(&h->changed, &h->lock);
		if (!h->is_busy)
			break;
		pthread_mutex_unlock(&h->lock);
		write_slice(h, &h->job);
		if (h->job.stats >= 0)
			close(h->job.stats);
		free(h->job.folder);
		free(h->job.store);
		pthread_mutex_lock(&h->lock);
		h->is_busy = false;
		pthread_cond_broadcast(&h->changed);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

static void free_history(struct history *h)
{
	kept_symbols_stop(h->symbols);
	close_writer(h);
	pthread_cond_destroy(&h->changed);
	pthread_mutex_destroy(&h->lock);
	kept_folders_free(&h->folders);
	free(h->folder);
	free(h->store);
	free(h->dir);
	free(h->proc);
	free(h);
}

static int open_folders(struct history *h, struct op_error *e)
{
	int err = kept_folders_open(&h->folders, h->dir);

	if (err)
		return op_error_set(e, err, "cannot read '%s': %s", h->dir, strerror(-err));
	if (h->folders.nr)
		h->next_number = h->folders.list[h->folders.nr - 1].at.number + 1;
	if (history_has_room(h->dir))
		complete_left(h, h->next_number);
	return 0;
}

int history_open(const char *session_dir, const struct history_config *config, const char *proc,
		 struct history **ret, struct op_error *e)
{
	struct history *h = xcalloc(1, sizeof(*h));
	int err;

	h->config = *config;
	h->dir = path_join(session_dir, HISTORY_DIR);
	h->proc = xstrdup(proc);
	lock_init(&h->lock);
	pthread_cond_init(&h->changed, NULL);
	err = file_make_dirs(h->dir, 0755);
	if (err)
		err = op_error_set(e, err, "cannot create '%s': %s", h->dir, strerror(-err));
	if (!err)
		err = kept_symbols_start(h->dir, proc, config->quota / SYMBOLS_PART,
					 config->lines, &h->symbols);
	if (!err)
		err = open_folders(h, e);
	if (!err)
		err = thread_start(&h->thread, keeper_main, h);
	if (err)
		free_history(h);
	else
		*ret = h;
	return err;
}

void history_close(struct history *h)
{
	if (!h)
		return;
	history_defer_merges(h, true);
	pthread_mutex_lock(&h->lock);
	h->ends = true;
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->lock);
	pthread_join(h->thread, NULL);
	free_history(h);
}

/* --- the caller --- */

const struct history_config *history_config(const struct history *h)
{
	return &h->config;
}

const char *history_begin_segment(struct history *h, int64_t begin_ns, const char *stats_dir)
{
	char *name = history_folder_name(h->next_number, begin_ns);
	char *folder = path_join(h->dir, name);
	int err = file_make_dirs(folder, 0755);	/* the umask decides */
	int stats;

	free(name);
	if (err) {
		log_line("cannot create '%s': %s; samples are not kept in the history until it can "
			 "be", folder, strerror(-err));
		free(folder);
		return NULL;
	}
	stats = open(stats_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (stats >= 0) {
		link_session(stats, ".", folder, is_linked);
		close(stats);
	}
	h->next_number++;
	h->folder_begin_ns = begin_ns;
	__atomic_store_n(&h->wants_segment, false, __ATOMIC_RELAXED);
	free(h->folder);
	free(h->store);
	h->folder = folder;
	h->store = path_join(folder, HISTORY_STORE);
	return h->store;
}

bool history_wants_segment(const struct history *h)
{
	return __atomic_load_n(&h->wants_segment, __ATOMIC_RELAXED);
}

bool history_is_busy(struct history *h)
{
	bool is_busy;

	pthread_mutex_lock(&h->lock);
	is_busy = h->is_busy;
	pthread_mutex_unlock(&h->lock);
	return is_busy;
}

void history_end_slice(struct history *h, int64_t begin_ns, int64_t end_ns,
		       const struct numbers *numbers, const char *stats_dir, bool is_last)
{
	pthread_mutex_lock(&h->lock);
	h->job = (struct job){
		.folder = xstrdup(h->folder),
		.store = xstrdup(h->store),
		.number = h->next_number - 1,
		.folder_begin_ns = h->folder_begin_ns,
		.stats = open(stats_dir, O_PATH | O_DIRECTORY | O_CLOEXEC),
		.begin_ns = begin_ns, .end_ns = end_ns,
		.numbers = *numbers, .is_last = is_last,
	};
	h->is_busy = true;
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->lock);
}

void history_defer_merges(struct history *h, bool defer)
{
	__atomic_store_n(&h->folders.stops_merging, defer, __ATOMIC_RELAXED);
}

void history_wait(struct history *h, uint64_t until_ns)
{
	pthread_mutex_lock(&h->lock);
	if (h->is_busy)
		(void)lock_wait(&h->changed, &h->lock, until_ns);
	pthread_mutex_unlock(&h->lock);
}
