// SPDX-License-Identifier: GPL-2.0-or-later
/* file.c - the builder that writes a file in one of the formats */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/cpuprofile/cpuprofile.h"
#include "formats/folded/folded.h"
#include "formats/proto/proto.h"
#include "libsampler/build/made.h"
#include "libsampler/build/names.h"
#include "libsampler/build/profile.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

struct file_builder {
	enum sampler_format format;
	char *path;			/* absolute */
	struct build_profile *profile;
};

/* --- missing samples --- */

static const char *loss_texts[SAMPLER_NR_STATUS] = {
	[SAMPLER_BLOCKED] = "the thread blocked the signal",
	[SAMPLER_NOT_RUN] = "the thread did not run in time",
	[SAMPLER_GONE] = "the thread had exited",
	[SAMPLER_FAILED] = "the thread's stack could not be read",
};

static void comment(struct profile *p, uint64_t n, const char *why)
{
	char *text;

	if (!n)
		return;
	text = xasprintf("%llu samples are missing: %s", (unsigned long long)n, why);
	profile_comment(p, text);
	free(text);
}

static void add_comments(struct profile *p, const struct build_losses *l,
			 const struct sampler_summary *summary)
{
	for (int i = 0; i < SAMPLER_NR_STATUS; i++)
		if (loss_texts[i])
			comment(p, l->status[i], loss_texts[i]);
	comment(p, l->no_frames, "no frame was found");
	comment(p, l->no_room, "there were too many distinct stacks");
	comment(p, summary->missed, "the sampling thread was late");
}

/* What threads used while they were not sampled; one that has ended used no more. */
static uint64_t nr_lost(const struct build_losses *l, const struct sampler_summary *summary)
{
	uint64_t nr = l->no_frames + l->no_room + summary->missed;

	for (int i = 0; i < SAMPLER_NR_STATUS; i++)
		nr += i == SAMPLER_GONE ? 0 : l->status[i];
	return nr;
}

/* --- writing --- */

static int write_format(const struct file_builder *b, const struct profile *p, FILE *out,
			struct op_error *e)
{
	const struct format_write_options options = { .pid = "" };
	struct profile *named;
	int err;

	switch (b->format) {
	case SAMPLER_CPUPROFILE:
		return cpuprofile_write(p, &options, out, e);
	case SAMPLER_PPROF:
		return proto_write(p, &options, out, e);
	case SAMPLER_FOLDED:
		break;
	}
	named = build_names(p);
	err = folded_write(named, &options, out, e);
	profile_free(named);
	return err;
}

/*
 * In memory first: a child that is forked meanwhile has a copy of the stream, and would write its
 * buffer to the file at exit.
 */
static int write_memory(const struct file_builder *b, const struct profile *p, char **ret_bytes,
			size_t *ret_size, struct op_error *e)
{
	FILE *out = open_memstream(ret_bytes, ret_size);
	int err;

	if (!out)
		return op_error_set(e, -errno, "cannot write '%s': out of memory", b->path);
	err = write_format(b, p, out, e);
	if (fclose(out) && !err)
		err = op_error_set(e, -ENOMEM, "cannot write '%s': out of memory", b->path);
	return err;
}

/* The file appears whole or not at all. */
static int write_replace(const struct file_builder *b, const struct profile *p, struct op_error *e)
{
	char *bytes = NULL;
	size_t size;
	int err = write_memory(b, p, &bytes, &size, e);

	if (!err) {
		err = file_write_atomic(b->path, bytes, size, 0644);
		if (err)
			op_error_set(e, err, "cannot write '%s': %s", b->path, strerror(-err));
	}
	free(bytes);
	return err;
}

/* --- the builder --- */

static void sample(void *context, const struct sampler_sample *s)
{
	struct file_builder *b = context;

	build_profile_sample(b->profile, s);
}

static void metadata_past(void *context, const struct sampler_metadata *item, uint64_t from_ns,
			  uint64_t to_ns)
{
	struct file_builder *b = context;

	build_profile_past(b->profile, item, from_ns, to_ns);
}

static int completed(void *context, const struct sampler_summary *summary,
		     struct sampler_error *e)
{
	struct file_builder *b = context;
	struct profile *p = build_profile_get(b->profile, summary);
	const struct build_losses *losses = build_profile_losses(b->profile);
	const uint64_t lost = nr_lost(losses, summary);
	const uint32_t nr_samples = p->nr_samples;
	struct op_error why = { "" };
	struct build_made made;
	int err;

	build_made_read(&made);
	build_made_name(&made, p);
	build_made_free(&made);
	add_comments(p, losses, summary);
	profile_add_lost(p, 0, lost, lost + (uint64_t)profile_total(p, 0));
	err = write_replace(b, p, &why);
	p->nr_samples = nr_samples;	/* the next file may have more of them */
	if (err)
		build_error(&why, e);
	return err;
}

static void builder_free(void *context)
{
	struct file_builder *b = context;

	build_profile_free(b->profile);
	free(b->path);
	free(b);
}

static const struct sampler_builder_ops file_ops = {
	.size = sizeof(file_ops),
	.sample = sample,
	.metadata_past = metadata_past,
	.completed = completed,
	.free = builder_free,
};

static int refuse(struct sampler_error *e, int err, const char *path, const char *why)
{
	if (e)
		snprintf(e->text, sizeof(e->text), "cannot write '%.150s': %s", path, why);
	return err;
}

int sampler_file_builder(enum sampler_format format, const char *path,
			 struct sampler_builder *ret, struct sampler_error *e)
{
	struct file_builder *b;
	struct stat st;
	char *whole, *end;
	int err = 0;

	if (format > SAMPLER_FOLDED)
		return refuse(e, -EINVAL, path, "unknown format");
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return refuse(e, -EINVAL, path, "not a regular file");
	whole = path_absolute(path);
	if (!whole)
		return refuse(e, -errno, path, strerror(errno));
	end = strrchr(whole, '/');
	*end = '\0';
	if (access(end == whole ? "/" : whole, W_OK | X_OK))
		err = refuse(e, -errno, path, strerror(errno));
	*end = '/';
	if (err) {
		free(whole);
		return err;
	}
	b = xcalloc(1, sizeof(*b));
	b->format = format;
	b->path = whole;
	b->profile = build_profile_new(BUILD_NODES_MAX);
	*ret = (struct sampler_builder){ &file_ops, b };
	return 0;
}
