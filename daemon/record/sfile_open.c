// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sfile_open.c - a sample file's name and header, and how it is opened
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "daemon/record/sfile_private.h"
#include "libdb/session/sample_file.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

#define BROKEN_MAX	9	/* broken files kept of one name */

/* The file's name and header */

static int64_t number_or_all(uint32_t field)
{
	return field == SFILE_ALL ? SAMPLE_ALL : (int64_t)field;
}

#define ANON_NAME_SIZE	(sizeof(((struct sfile_place *)NULL)->anon_name) + 1)

static void name_place(const struct sfile_place *at, struct image_name *ret,
		       char anon_name[ANON_NAME_SIZE])
{
	if (at->image) {
		ret->kind = at->image->kind;
		ret->path = at->image->path;
		return;
	}
	memcpy(anon_name, at->anon_name, sizeof(at->anon_name));
	anon_name[sizeof(at->anon_name)] = '\0';
	ret->kind = IMAGE_ANON;
	ret->path = anon_name;
	ret->anon_tgid = at->anon_tgid;
	ret->anon_start = at->anon_start;
	ret->anon_end = at->anon_end;
}

int sfile_path(const struct sfile *sf, struct strbuf *path)
{
	const struct sfile_key *key = &sf->key;
	const struct sfile_event *event = &sf->all->config.events[key->counter];
	char anon_name[ANON_NAME_SIZE], callee_name[ANON_NAME_SIZE];
	struct strbuf folder = STRBUF_INIT;
	struct sample_name name = {
		.app = { .kind = key->app->kind, .path = key->app->path },
		.has_callee = key->is_arc,
		.event = event->name,
		.count = event->count,
		.unit_mask = event->unit_mask,
		.tgid = number_or_all(key->tgid),
		.tid = number_or_all(key->tid),
		.cpu = number_or_all(key->cpu),
	};
	int err;

	name_place(&key->at, &name.image, anon_name);
	if (key->is_arc)
		name_place(&key->callee, &name.callee, callee_name);
	if (key->part)
		part_add_path(key->part, &folder);
	err = sample_file_path(key->part ? folder.text : sf->all->dir, &name, path);
	strbuf_free(&folder);
	return err;
}

static struct sample_header header_of(const struct sfile *sf)
{
	const struct sfile_config *config = &sf->all->config;
	const struct sfile_event *event = &config->events[sf->key.counter];

	return (struct sample_header){
		.version = SAMPLE_VERSION_1X,
		.cpu_type = config->cpu_type,
		.event = event->code,
		.unit_mask = event->unit_mask,
		.count = event->count,
		.is_kernel = sf->key.at.is_kernel,
		.cpu_mhz = config->cpu_mhz,
		.mtime = sf->key.at.image ? sf->key.at.image->mtime : 0,
		.cg_to_is_kernel = sf->key.callee.is_kernel,
		.anon_start = sf->key.at.anon_start,
		.cg_to_anon_start = sf->key.callee.anon_start,
	};
}

/* Opening */

static bool out_of_room(int err)
{
	return err == -EMFILE || err == -ENFILE || err == -ENOMEM;
}

static int try_open(struct sfile *sf, const char *path, struct op_error *e)
{
	const struct sample_header header = header_of(sf);
	int err;

	do
		err = sample_file_open(path, &header, &sf->odb, e);
	while (out_of_room(err) && sfiles_evict_open(sf->all));
	/* an old file's header, too, says what is known now */
	if (!err && !odb_is_new(sf->odb))
		err = sample_header_store(&header, odb_header(sf->odb));
	if (err && sf->odb)
		sf->odb = odb_close(sf->odb);
	return err;
}

/* Seven fields: a name that no report takes for a sample file's, but names as invalid. [SF-27] */
static int rename_broken(const char *path, char **ret_to)
{
	int err = -EEXIST;

	for (int i = 1; i <= BROKEN_MAX && err == -EEXIST; i++) {
		char *to = xasprintf("%s.broken%d", path, i);

		err = renameat2(AT_FDCWD, path, AT_FDCWD, to, RENAME_NOREPLACE) ? -errno : 0;
		if (err)
			free(to);
		else
			*ret_to = to;
	}
	return err;
}

/*
 * What somebody else did to a file must not cost the samples to come. It is kept: what can be
 * saved of it is for others to find out. One of another version is not broken.
 */
static int set_aside(const char *path, struct op_error *e)
{
	struct sample_header header;
	char *to, why[sizeof(e->text)];
	size_t size;
	int err;

	if (!sample_header_read(path, &header, &size, NULL) && size != SAMPLE_HEADER_SIZE)
		return op_error_set(e, -EPROTO, "'%s' was written by another version of OProfile: "
				    "keep the session with opcontrol --save=NAME", path);
	snprintf(why, sizeof(why), "%s", e->text);
	err = rename_broken(path, &to);
	if (err)
		return op_error_set(e, err, "%s; it cannot be renamed: %s", why, strerror(-err));
	log_line("a sample file is broken: %s; it is kept as '%s', and a new one begun", why,
		 path_base(to));
	free(to);
	return 0;
}

static int open_odb(struct sfile *sf, const char *path, struct op_error *e)
{
	int err = try_open(sf, path, e);

	if (err == -EPROTO) {
		err = set_aside(path, e);
		if (!err)
			err = try_open(sf, path, e);
	}
	if (!err)
		sf->all->nr_open++;
	return err;
}

int sfile_open(struct sfile *sf, struct op_error *e)
{
	struct strbuf path = STRBUF_INIT;
	int err = sf->key.part ? part_make(sf->key.part, e) : 0;

	if (err)
		return err;
	err = sfile_path(sf, &path);
	sf->unnameable = err;
	if (err) {
		op_error_set(e, err, "a sample file cannot have a name made of '%s'",
			     sf->key.app->path);
		goto out;
	}
	err = open_odb(sf, path.text, e);
	if (!err) {
		image_tell(sf->all->images, sf->key.app);
		if (sf->key.at.image)
			image_tell(sf->all->images, sf->key.at.image);
		if (sf->key.callee.image)
			image_tell(sf->all->images, sf->key.callee.image);
		log_about(LOG_SFILE, "opened '%s'", path.text);
	}
out:
	strbuf_free(&path);
	return err;
}
