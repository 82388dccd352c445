// SPDX-License-Identifier: GPL-2.0-or-later
/* build_file.c - the builder that writes a file in one of the formats */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build_names.h"
#include "build_profile.h"
#include "cpuprofile.h"
#include "file.h"
#include "folded.h"
#include "proto.h"
#include "xalloc.h"

struct file_builder {
	enum sampler_format format;
	char *path;			/* absolute */
	struct build_profile *profile;
};

/* --- what is not in it --- */

static const char *loss_texts[SAMPLER_NR_STATUS] = {
	[SAMPLER_BLOCKED] = "the thread could not be stopped in time",
	[SAMPLER_GONE] = "the thread had ended",
	[SAMPLER_FAILED] = "the thread's stack could not be had",
};

static void comment(struct profile *p, uint64_t n, const char *why)
{
	char *text;

	if (!n)
		return;
	text = xasprintf("%llu samples are not here: %s", (unsigned long long)n, why);
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
	comment(p, l->no_room, "there were too many different chains");
	comment(p, summary->missed, "the sampling thread was late");
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

static int write_file(const struct file_builder *b, const struct profile *p, FILE *out,
		      struct op_error *e)
{
	int err = write_format(b, p, out, e);
	bool failed = ferror(out);

	if (fclose(out) || failed)
		err = err ? err : op_error_set(e, errno ? -errno : -EIO, "cannot write '%s': %s",
					       b->path, strerror(errno ? errno : EIO));
	return err;
}

/* One that is there is of an earlier process of that number, which was killed. */
static int make_new(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0 && errno == EEXIST && !unlink(path))
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	return fd;
}

/* It appears whole or not at all. */
static int write_replace(const struct file_builder *b, const struct profile *p, struct op_error *e)
{
	char *made = xasprintf("%s.%ld.tmp", b->path, (long)getpid());
	int fd = make_new(made), err;
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out) {
		err = op_error_set(e, -errno, "cannot make '%s': %s", made, strerror(errno));
		if (fd >= 0)
			close(fd);
	} else {
		err = write_file(b, p, out, e);
	}
	if (!err && rename(made, b->path))
		err = op_error_set(e, -errno, "cannot make '%s': %s", b->path, strerror(errno));
	if (err && fd >= 0)
		unlink(made);
	free(made);
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
	struct op_error why = { "" };
	int err;

	add_comments(p, build_profile_losses(b->profile), summary);
	err = write_replace(b, p, &why);
	if (err)
		snprintf(e->text, sizeof(e->text), "%.*s", (int)sizeof(e->text) - 1, why.text);
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
		return refuse(e, -EINVAL, path, "no such format");
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
