// SPDX-License-Identifier: GPL-2.0-or-later
/* places.c - find the folders for objects, and write objects there */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/jit/places.h"
#include "libdb/session/name.h"
#include "libutil/file.h"
#include "libutil/opener/ask.h"
#include "libutil/xalloc.h"

static void add_root(struct jit_roots *roots, char *dir)
{
	xgrow(roots->dirs, roots->nr, roots->room);
	roots->dirs[roots->nr++] = dir;
}

void jit_roots_read(const char *samples_dir, struct jit_roots *ret)
{
	char *parts = path_join(samples_dir, "stats/parts");
	DIR *dir = opendir(parts);
	struct dirent *entry;

	*ret = (struct jit_roots){ 0 };
	add_root(ret, xstrdup(samples_dir));
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[strspn(entry->d_name, "0123456789")] == '\0')
			add_root(ret, path_join(parts, entry->d_name));
	if (dir)
		closedir(dir);
	free(parts);
}

void jit_roots_free(struct jit_roots *roots)
{
	while (roots->nr)
		free(roots->dirs[--roots->nr]);
	free(roots->dirs);
	*roots = (struct jit_roots){ 0 };
}

char *jit_place(const char *root, const char *app, const char *anon_name)
{
	struct sample_name name = {
		.app = { .kind = IMAGE_FILE, .path = app },
		.image = { .kind = IMAGE_JIT, .path = anon_name },
		.event = "x", .tgid = SAMPLE_ALL, .tid = SAMPLE_ALL, .cpu = SAMPLE_ALL,
	};
	struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "%s/", root);
	if (!sample_name_format(&name, &path)) {
		*strrchr(path.text, '/') = '\0';	/* the event */
		*strrchr(path.text, '/') = '\0';	/* the object */
		if (file_is_dir(path.text))
			return strbuf_steal(&path);
	}
	strbuf_free(&path);
	return NULL;
}

/* Without the right to give it away it stays ours alone. */
static int set_rights(int fd, const struct jit_object *object)
{
	int err = opener_give(fd, object->uid, object->gid, object->mode);

	return err == -EPERM ? 0 : err;
}

int jit_place_object(const char *samples_dir, const char *place, uint32_t tgid,
		     const struct jit_object *object)
{
	char *new = xasprintf("%s/stats/new.jo", samples_dir),
	     *path = xasprintf("%s/%" PRIu32 ".jo", place, tgid);
	int fd, err;

	(void)unlink(new);
	fd = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	err = fd < 0 ? -errno : file_write_fd(fd, object->bytes, object->size);
	if (!err)
		err = set_rights(fd, object);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (!err && rename(new, path))
		err = -errno;
	if (err)
		(void)unlink(new);
	free(new);
	free(path);
	return err;
}
