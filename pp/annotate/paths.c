/* SPDX-License-Identifier: GPL-2.0-or-later */
/* paths.c - find and select sources, name the annotated files */
#include "pp/annotate/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "libutil/file.h"
#include "libutil/plain_text.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"
#include "pp/cli/output.h"

/* Whether @glob matches one of the folders of @path. */
static bool folder_matches(const char *glob, const char *path)
{
	char *folders = xstrdup(path), *rest = NULL;
	char *last = strrchr(folders, '/');
	bool matches = false;

	if (last)
		*last = '\0';
	for (char *name = last ? strtok_r(folders, "/", &rest) : NULL; name && !matches;
	     name = strtok_r(NULL, "/", &rest))
		matches = !fnmatch(glob, name, 0);
	free(folders);
	return matches;
}

static bool list_matches(const struct spec_list *globs, const char *path)
{
	for (size_t i = 0; i < globs->nr; i++) {
		const char *glob = globs->items[i].text;

		if (!fnmatch(glob, path, 0) || !fnmatch(glob, path_base(path), 0) ||
		    folder_matches(glob, path))
			return true;
	}
	return false;
}

bool source_is_wanted(const struct annotate_options *o, const char *path)
{
	return (!o->include_files.nr || list_matches(&o->include_files, path)) &&
	       !list_matches(&o->exclude_files, path);
}

/* @path without the base folder it lies below. */
static const char *below_base(const struct spec_list *bases, const char *path)
{
	for (size_t i = 0; i < bases->nr; i++) {
		const char *base = bases->items[i].text;
		size_t len = strlen(base);

		while (len > 1 && base[len - 1] == '/')
			len--;
		if (!strncmp(path, base, len) && path[len] == '/')
			return path + len + 1;
	}
	return path;
}

/* Everybody may read, or enter, or only @owner, a user. */
static bool is_open_to(const struct stat *st, uid_t owner, mode_t all, mode_t own)
{
	return st->st_mode & all || (owner && st->st_uid == owner && st->st_mode & own);
}

/* What everybody may read in a folder of root's is not readable if nobody may enter that. */
static bool is_reached_by(int fd, uid_t owner)
{
	char self[40], path[PATH_MAX], *slash;
	struct stat st;
	ssize_t len;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	len = readlink(self, path, sizeof(path));
	if (len <= 0 || len == sizeof(path))
		return false;
	path[len] = '\0';
	while ((slash = strrchr(path, '/'))) {
		*slash = '\0';
		if (stat(*path ? path : "/", &st) || !is_open_to(&st, owner, S_IXOTH, S_IXUSR))
			return false;
	}
	return true;
}

/* Its files have any mode, but show others less than root: addresses of the kernel, for example. */
static bool is_made_by_kernel(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) || fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC ||
	       fs.f_type == DEBUGFS_MAGIC || fs.f_type == TRACEFS_MAGIC ||
	       fs.f_type == SECURITYFS_MAGIC;
}

/* Whether its text may be shown; errno is set if not. */
static bool may_show(int fd, uid_t owner)
{
	struct stat st;

	if (fstat(fd, &st))
		return false;
	errno = 0;
	if (!S_ISREG(st.st_mode))	/* a device or a pipe never ends */
		errno = EINVAL;
	else if (!geteuid() && (!is_open_to(&st, owner, S_IROTH, S_IRUSR) ||
				is_made_by_kernel(fd) || !is_reached_by(fd, owner)))
		errno = EPERM;
	return !errno;
}

static FILE *open_source(const char *path, uid_t owner)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int err;

	if (fd < 0)
		return NULL;
	if (may_show(fd, owner))
		return fdopen(fd, "r");
	err = errno;
	close(fd);
	errno = err;
	return NULL;
}

const char *source_error(int error)
{
	if (error != EPERM)
		return strerror(error);
	return "not everybody may read it and enter its folders, so root does not show it; "
	       "allow that (chmod o+rX)";
}

static FILE *try(char *path, uid_t owner, char **ret_found)
{
	FILE *f = open_source(path, owner);

	if (f)
		*ret_found = path;
	else
		free(path);
	return f;
}

FILE *source_open(const struct annotate_options *o, const char *path, uid_t owner,
		  char **ret_found)
{
	const char *rest = below_base(&o->base_dirs, path);
	FILE *f = NULL;

	for (size_t i = 0; !f && i < o->search_dirs.nr; i++)
		f = try(path_join(o->search_dirs.items[i].text, rest + (*rest == '/')), owner,
			ret_found);
	for (size_t i = 0; !f && !o->compat && i < o->search_dirs.nr; i++)
		f = try(path_join(o->search_dirs.items[i].text, path_base(path)), owner, ret_found);
	return f ? f : try(xstrdup(path), owner, ret_found);
}

/* @path below @dir, without ".." and control characters. */
static char *inside(const char *dir, const char *path)
{
	struct strbuf out = STRBUF_INIT;

	strbuf_add(&out, dir);
	while (*path) {
		size_t len = strcspn(path, "/");

		if (len && !(len == 1 && path[0] == '.') &&
		    !(len == 2 && !strncmp(path, "..", 2))) {
			strbuf_add_char(&out, '/');
			strbuf_add_bytes(&out, path, len);
		}
		path += len + (path[len] == '/');
	}
	plain_text(out.text + strlen(dir), out.len - strlen(dir));
	return strbuf_steal(&out);
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return a && !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int source_write_copy(const struct annotate_options *o, const char *path, const char *source,
		      const char *text, size_t len, struct op_error *e)
{
	char *out = inside(o->output_dir, path);
	int err = file_make_parent_dirs(out, 0777);

	if (err)
		op_error_set(e, err, "cannot create the folder of '%s': %s", out, strerror(-err));
	else if (is_same_file(source, out))
		err = op_error_set(e, -EEXIST, "refusing to overwrite the source '%s'; choose "
				   "another --output-dir", out);
	else
		err = output_replace(out, text, len, e);
	free(out);
	return err;
}
