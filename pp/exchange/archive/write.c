/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write.c - copy the files of an archive
 *
 * Folders below the archive and below a session are opened one by one and never through a link, so
 * that neither existing files nor concurrent changes can redirect the copy. Files are created
 * without setuid bits. A binary is copied only if the opened file begins as an object file.
 */
#include "pp/exchange/archive/write.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "libdb/session/text_file.h"
#include "libutil/file.h"
#include "libutil/interrupt.h"
#include "libutil/progress.h"
#include "libutil/strbuf.h"
#include "libutil/version.h"
#include "libutil/xalloc.h"

#define BUFFER_SIZE (1024 * 1024)

struct writer {
	const char *dir;
	int fd;				/* of dir */
	bool is_new, is_begun;		/* dir */
	bool replace;			/* existing files */
	unsigned char *buffer;
	struct strbuf manifest;
	struct archive_size size;
	struct notices *notices;
	struct op_error *e;
};

/* Open the folder @name in @fd, which is closed; @make: create it if it is missing. -errno. */
static int enter(int fd, const char *name, bool make)
{
	int next, err = 0;

	if (!strcmp(name, ".") || !strcmp(name, ".."))
		err = -EINVAL;
	if (!err && make && mkdirat(fd, name, 0755) && errno != EEXIST)
		err = -errno;
	next = err ? err : openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (!err && next < 0)
		next = -errno;
	close(fd);
	return next;
}

/* The folder of @path below @fd, which stays open; *ret_name is the last component. -errno. */
static int open_folder(int fd, const char *path, bool make, const char **ret_name)
{
	char *copy = xstrdup(path), *name = copy, *slash;
	int dir = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (dir < 0)
		dir = -errno;
	while (dir >= 0 && (slash = strchr(name, '/')) != NULL) {
		*slash = '\0';
		if (*name)
			dir = enter(dir, name, make);
		name = slash + 1;
	}
	*ret_name = path + (name - copy);
	free(copy);
	return dir;
}

static int open_source(const struct archive_item *item)
{
	int flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC, folder, dir, fd;
	const char *name;

	if (!item->folder) {
		fd = open(item->source, flags);
		return fd < 0 ? -errno : fd;
	}
	folder = open(item->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return -errno;
	dir = open_folder(folder, item->source, false, &name);
	close(folder);
	if (dir < 0)
		return dir;
	fd = openat(dir, name, flags | O_NOFOLLOW);
	if (fd < 0)
		fd = -errno;
	close(dir);
	return fd;
}

/* Create the file @path in the archive, of exactly @mode. -errno. */
static int create(const struct writer *w, const char *path, mode_t mode)
{
	const char *name;
	mode_t mask;
	int fd, dir = open_folder(w->fd, path, true, &name);

	if (dir < 0)
		return dir;
	if (w->replace)
		unlinkat(dir, name, 0);
	mask = umask(0);		/* a sandbox lets nobody change modes */
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		fd = -errno;
	umask(mask);
	close(dir);
	return fd;
}

static bool begins_as_binary(int fd)
{
	static const struct {
		unsigned char bytes[6];
		int n;
	} magics[] = { { "\177ELF", 4 }, { "\3757zXZ", 6 }, { "\x28\xb5\x2f\xfd", 4 } };
	unsigned char begin[6] = { 0 };
	ssize_t n = pread(fd, begin, sizeof(begin), 0);

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (n >= magics[i].n && !memcmp(begin, magics[i].bytes, magics[i].n))
			return true;
	return false;
}

static bool is_binary(const struct archive_item *item)
{
	return item->kind == ARCHIVE_BINARY || item->kind == ARCHIVE_DEBUG;
}

/* /proc/kcore is a regular file and an ELF file, and has all of memory. */
static bool is_of_proc(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* The reason not to copy the file, or NULL. */
static const char *reason_to_skip(const struct archive_item *item, int fd, const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "not a regular file";
	if (is_of_proc(fd))
		return "in /proc";
	if (is_binary(item) && !begins_as_binary(fd))
		return "not an object file";
	if (!strcmp(item->path, ARCHIVE_MANIFEST))
		return "its name is reserved for the manifest";
	return NULL;
}

static void report_skipped(struct writer *w, const struct archive_item *item, const char *why)
{
	char *source = archive_item_source(item);

	notice_add(w->notices, "'%s' skipped: %s", source, why);
	free(source);
}

static int set_write_error(struct writer *w, const char *path, int err)
{
	return op_error_set(w->e, err, "cannot write '%s/%s': %s; the archive is %s",
			    w->dir, path, strerror(-err), w->replace ? "incomplete" : "removed");
}

/* Append a line of sha256sum's format. It begins with a backslash if the name has escapes. */
static void add_manifest_line(struct strbuf *out, const char *sum, const char *path)
{
	strbuf_addf(out, "%s%s  ", strpbrk(path, "\\\n\r") ? "\\" : "", sum);
	for (; *path; path++) {
		if (*path == '\\')
			strbuf_add(out, "\\\\");
		else if (*path == '\n')
			strbuf_add(out, "\\n");
		else if (*path == '\r')
			strbuf_add(out, "\\r");
		else
			strbuf_add_char(out, *path);
	}
	strbuf_add_char(out, '\n');
}

/* "# binary BUILD-ID SOURCE", then the checksum. */
static void add_to_manifest(struct writer *w, const struct archive_item *item, const char *sum)
{
	static const char *const kinds[] = {
		[ARCHIVE_BINARY] = "binary", [ARCHIVE_DEBUG] = "debug",
		[ARCHIVE_SAMPLES] = "samples", [ARCHIVE_SESSION] = "session",
	};
	char *source = archive_item_source(item);

	strbuf_addf(&w->manifest, "# %s %s ", kinds[item->kind],
		    *item->build_id ? item->build_id : "-");
	text_add_escaped(&w->manifest, source, false);
	strbuf_add_char(&w->manifest, '\n');
	add_manifest_line(&w->manifest, sum, item->path);
	free(source);
}

/*
 * Copy at most @size bytes: a log may grow meanwhile. *ret_read_error: -errno of reading, or 0.
 * Returns -errno of writing, or 0.
 */
static int copy_bytes(struct writer *w, int from, int to, uint64_t size, SHA2_CTX *sum,
		      int *ret_read_error)
{
	uint64_t done = 0;

	*ret_read_error = 0;
	while (done < size) {
		size_t want = size - done < BUFFER_SIZE ? size - done : BUFFER_SIZE;
		ssize_t n = read(from, w->buffer, want);
		int err;

		if (interrupt_came())
			return -EINTR;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			*ret_read_error = -errno;
		if (n <= 0)
			break;
		err = file_write_fd(to, w->buffer, (size_t)n);
		if (err)
			return err;
		SHA256Update(sum, w->buffer, (size_t)n);
		done += (size_t)n;
	}
	w->size.bytes += done;
	return 0;
}

/* Set the time of the source. Reports compare it. */
static int finish_file(int fd, const struct stat *st)
{
	const struct timespec times[2] = { st->st_mtim, st->st_mtim };
	int err = 0;

	if (futimens(fd, times))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

/* Copy the open file @from. */
static int copy_file(struct writer *w, const struct archive_item *item, int from,
		     const struct stat *st)
{
	char text[SHA256_DIGEST_STRING_LENGTH];
	SHA2_CTX sum;
	int to = create(w, item->path, st->st_mode & 0755), err, read_error;

	if (to == -EEXIST || to == -ENOTDIR) {
		report_skipped(w, item, "the archive already has a file of that name");
		return 0;
	}
	if (to < 0)
		return set_write_error(w, item->path, to);
	SHA256Init(&sum);
	err = copy_bytes(w, from, to, st->st_size, &sum, &read_error);
	if (err)
		close(to);
	else
		err = finish_file(to, st);
	if (err)
		return set_write_error(w, item->path, err);
	if (read_error)
		notice_add(w->notices, "'%s/%s' is incomplete: %s", w->dir, item->path,
			   strerror(-read_error));
	w->size.files++;
	add_to_manifest(w, item, SHA256End(&sum, text));
	return 0;
}

static int copy_item(struct writer *w, const struct archive_item *item)
{
	const char *why = NULL;
	struct stat st;
	int fd = open_source(item), err = 0;

	if (fd < 0 || fstat(fd, &st))
		why = strerror(fd < 0 ? -fd : errno);
	else
		why = reason_to_skip(item, fd, &st);
	if (why)
		report_skipped(w, item, why);
	else
		err = copy_file(w, item, fd, &st);
	if (fd >= 0)
		close(fd);
	return err;
}

static int write_manifest(struct writer *w)
{
	int fd = create(w, ARCHIVE_MANIFEST, 0644), err = fd < 0 ? fd : 0;

	if (!err)
		err = file_write_fd(fd, w->manifest.text, w->manifest.len);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (err)
		return set_write_error(w, ARCHIVE_MANIFEST, err);
	return 0;
}

static bool is_empty(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	bool empty = dir;

	while (empty && (entry = readdir(dir)) != NULL)
		empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
	if (dir)
		closedir(dir);
	else if (copy >= 0)
		close(copy);
	return empty;
}

static int open_archive(struct writer *w)
{
	int err;

	w->is_new = !file_exists(w->dir);
	err = file_make_dirs(w->dir, 0755);
	w->fd = err ? err : open(w->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!err && w->fd < 0)
		err = -errno;
	if (err)
		return op_error_set(w->e, err, "cannot create '%s': %s", w->dir, strerror(-err));
	if (w->replace)
		unlinkat(w->fd, ARCHIVE_MANIFEST, 0);
	else if (!is_empty(w->fd))
		return op_error_set(w->e, -ENOTEMPTY,
				    "'%s' is not empty; specify a new folder", w->dir);
	w->is_begun = true;
	return 0;
}

/* A folder that was empty has only our files, or those of a program that wrote to it meanwhile. */
static void remove_begun(const struct writer *w)
{
	DIR *dir = opendir(w->dir);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL) {
		char *path = path_join(w->dir, entry->d_name);

		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			(void)file_remove_tree(path);
		free(path);
	}
	if (dir)
		closedir(dir);
	if (w->is_new)
		(void)rmdir(w->dir);
}

/* Session files come first, so that no binary can take the place of one. */
static int copy_all(struct writer *w, const struct archive_plan *plan)
{
	size_t done = 0;
	int err = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < plan->nr && !err; i++) {
			if (is_binary(&plan->items[i]) != (pass == 1))
				continue;
			progress_tell(NULL, done++, plan->nr, "files");
			err = copy_item(w, &plan->items[i]);
		}
	return err;
}

int archive_write(const struct archive_plan *plan, const char *dir, bool replace,
		  struct archive_size *ret, struct notices *notices, struct op_error *e)
{
	struct writer w = { .dir = dir, .fd = -1, .replace = replace, .manifest = STRBUF_INIT,
			    .notices = notices, .e = e };
	int err;

	interrupt_defer();
	err = open_archive(&w);
	w.buffer = xmalloc(BUFFER_SIZE);
	strbuf_addf(&w.manifest, "# made by oparchive %s; in this folder: sha256sum -c %s\n"
		    "# kind, build-id, where it was; checksum and file\n", OP_VERSION,
		    ARCHIVE_MANIFEST);
	if (!err)
		err = copy_all(&w, plan);
	if (!err)
		err = write_manifest(&w);
	if (w.fd >= 0)
		close(w.fd);
	if (err && w.is_begun && !replace)
		remove_begun(&w);
	interrupt_allow();
	strbuf_free(&w.manifest);
	free(w.buffer);
	*ret = w.size;
	return err;
}
