// SPDX-License-Identifier: GPL-2.0-or-later
/* sfile_key.c - the name and header of a sample file */
#include <string.h>
#include "daemon/record/anon.h"
#include "daemon/record/parts.h"
#include "daemon/record/sfile_key.h"
#include "libdb/session/sample_file.h"

#define ANON_NAME_SIZE	(sizeof(((struct sfile_place *)NULL)->anon_name) + 1)

void sfile_place_set_map(struct sfile_place *ret, uint32_t tgid, const struct anon_map *map)
{
	ret->anon_tgid = tgid;
	ret->anon_start = map->start;
	ret->anon_end = map->end;
	anon_copy_name(ret->anon_name, sizeof(ret->anon_name), map->name);
}

static int64_t number_or_all(uint32_t field)
{
	return field == SFILE_ALL ? SAMPLE_ALL : (int64_t)field;
}

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

int sfile_key_path(const struct sfile_config *config, const struct sfile_key *key,
		   const char *samples_dir, struct strbuf *path)
{
	const struct sfile_event *event = &config->events[key->counter];
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
	err = sample_file_path(key->part ? folder.text : samples_dir, &name, path);
	strbuf_free(&folder);
	return err;
}

struct sample_header sfile_key_header(const struct sfile_config *config,
				      const struct sfile_key *key)
{
	const struct sfile_event *event = &config->events[key->counter];

	return (struct sample_header){
		.version = SAMPLE_VERSION_1X,
		.cpu_type = config->cpu_type,
		.event = event->code,
		.unit_mask = event->unit_mask,
		.count = event->count,
		.is_kernel = key->at.is_kernel,
		.cpu_mhz = config->cpu_mhz,
		.mtime = key->at.image ? key->at.image->mtime : 0,
		.cg_to_is_kernel = key->callee.is_kernel,
		.anon_start = key->at.anon_start,
		.cg_to_anon_start = key->callee.anon_start,
	};
}
