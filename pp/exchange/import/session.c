// SPDX-License-Identifier: GPL-2.0-or-later
/* session.c - make a session under a temporary name, and rename it when it is complete */
#include "pp/exchange/import/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdb/session/image_ids.h"
#include "libdb/session/writer.h"
#include "libutil/file.h"
#include "libutil/interrupt.h"
#include "libutil/xalloc.h"
#include "pp/exchange/import/samples.h"

/* Where a profile was recorded, as comments say [PD-4]. */
static void read_machine(const struct profile *p, struct session_info *info)
{
	const struct {
		const char *key;
		char *value;
		size_t size;
	} known[] = {
		{ "host: ", info->host, sizeof(info->host) },
		{ "kernel: ", info->kernel, sizeof(info->kernel) },
		{ "machine: ", info->machine, sizeof(info->machine) },
	};

	for (uint32_t i = 0; i < p->nr_comments; i++)
		for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
			const char *text = profile_text(p, p->comments[i]);
			size_t n = strlen(known[k].key);

			if (!strncmp(text, known[k].key, n))
				snprintf(known[k].value, known[k].size, "%s", text + n);
		}
}

/* Nothing was lost by the import; earlier losses are unknown. */
static int write_own_stats(const struct profile *p, const struct import_session_options *o,
			   const struct imported *imported,
			   const struct import_session_sums *sums, const char *stats)
{
	struct cpu_counts cpu = { .received = sums->samples, .recorded = sums->samples };
	const struct session_counts counts = { 1, &cpu };
	struct session_info info = { .model = "imported" };
	int64_t end_ns = p->start_ns + p->duration_ns;

	snprintf(info.collector, sizeof(info.collector), "import");
	snprintf(info.cpu_type, sizeof(info.cpu_type), "timer");
	snprintf(info.call_arcs, sizeof(info.call_arcs), SESSION_ARCS_OF_STACKS);
	snprintf(info.profiled, sizeof(info.profiled), "%s (%s)", o->file ? path_base(o->file) : "",
		 o->origin ? o->origin : "");
	read_machine(p, &info);
	snprintf(info.separate, sizeof(info.separate),
		 imported->has_apps || p->main_image != PROFILE_NONE ? "lib kernel" : "none");
	for (size_t i = 0; i < imported->nr_events; i++)
		if (!strcmp(imported->events[i].event, "TIMER"))
			info.period_ns = imported->events[i].period;
	if (p->start_ns > 0 && p->duration_ns >= 0 && end_ns >= p->start_ns) {
		info.start_time = (uint64_t)p->start_ns / 1000000000;
		info.end_time = (uint64_t)end_ns / 1000000000;
	}
	return session_write_stats(stats, o->session_dir, &counts, &info);
}

/* Write the build-ids of all images, and their functions, for machines without the binaries. */
static int write_images(const struct profile *p, struct import_images *m, const char *stats)
{
	char *binaries = path_join(stats, SESSION_BINARIES);
	int err = file_make_dirs(binaries, 0755);

	import_images_group(p, m);
	for (uint32_t i = 0; i < m->nr && !err; i++) {
		char *path = path_join(binaries, m->images[i].build_id);

		if (!file_exists(path))
			err = import_names_write(p, m, i, path);
		/* without names or a real build-id, any binary at that path may be used */
		if (err >= 0 && (err || !m->images[i].is_invented))
			err = image_ids_append(stats, m->images[i].path, m->images[i].build_id);
		free(path);
	}
	free(binaries);
	return err;
}

static int write_profile(const struct import_session_options *o, const char *stats)
{
	char *path = path_join(stats, IMPORTED_PROFILE);
	int err = file_write_atomic(path, *o->bytes, o->size, 0644);

	free(path);
	free(*o->bytes);
	*o->bytes = NULL;
	return err;
}

/* Write everything but the samples. */
static int write_stats(const struct profile *p, const struct import_session_options *o,
		       struct import_images *m, const struct imported *imported,
		       const struct import_session_sums *sums, const char *stats,
		       struct op_error *e)
{
	int err = write_images(p, m, stats);

	if (!err)
		err = write_own_stats(p, o, imported, sums, stats);
	if (!err)
		err = imported_write(stats, imported);
	return err ? op_error_set(e, err, "cannot write '%s': %s", stats, strerror(-err)) : 0;
}

static int fill(const struct profile *p, const struct import_session_options *o,
		const char *samples, struct import_session_sums *sums, struct notices *notices,
		struct op_error *e)
{
	char *stats = path_join(samples, "stats");
	struct imported imported = { 0 };
	struct import_images images;
	int err = file_make_dirs(stats, 0755);

	for (uint32_t i = 0; i < p->nr_labels; i++)
		imported.has_apps |= !strcmp(profile_text(p, p->labels[i].key), "app");
	if (o->bytes)
		imported.format = xstrdup(o->origin);
	imported.salvaged = o->salvaged;
	if (!err && o->bytes)
		err = write_profile(o, stats);
	import_images_make(p, &imported, &images);
	if (err)
		op_error_set(e, err, "cannot create '%s': %s", stats, strerror(-err));
	else
		err = import_write_samples(p, &images, &imported, samples, sums, notices, e);
	imported.samples = sums->samples;
	if (!err)
		err = write_stats(p, o, &images, &imported, sums, stats, e);
	import_images_free(&images);
	imported_free(&imported);
	free(stats);
	return err;
}

int import_session(const struct profile *p, const struct import_session_options *o,
		   struct import_session_sums *ret, struct notices *notices, struct op_error *e)
{
	struct import_session_sums sums = { 0 };
	char *place, *name, *made;
	int err;

	if (!session_name_ok(o->name))
		return op_error_set(e, -EINVAL, "invalid session name '%s': expected letters, "
				    "digits and . _ - +, not beginning with a dot", o->name);
	place = session_samples_path(o->session_dir, o->name);
	if (file_exists(place)) {
		err = op_error_set(e, -EEXIST, "session '%s' already exists: '%s'; "
				   "import to another with --output=NAME", o->name, place);
		free(place);
		return err;
	}
	name = xasprintf(".import-%ld", (long)getpid());
	made = session_samples_path(o->session_dir, name);
	interrupt_defer();
	err = fill(p, o, made, &sums, notices, e);
	if (!err && interrupt_came())
		err = -EINTR;
	if (!err && rename(made, place))
		err = op_error_set(e, -errno, "cannot create '%s': %s", place, strerror(errno));
	if (err)
		file_remove_tree(made);
	else
		*ret = sums;
	interrupt_allow();
	free(place);
	free(name);
	free(made);
	return err;
}
