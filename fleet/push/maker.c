// SPDX-License-Identifier: GPL-2.0-or-later
/* maker.c - one slice of the history -> profile -> series -> parts */
#include "fleet/push/maker.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "fleet/push/series.h"
#include "fleet/push/stream.h"
#include "libdb/history/folder.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "pp/cli/confine.h"
#include "pp/exchange/export/profile.h"
#include "pp/select/history.h"

#define CPU_SECONDS	120	/* for what takes one; a binary may be made to keep a parser busy */

struct pipe_sink {
	struct push_sink sink;
	int fd;
};

static int put(struct push_sink *sink, const struct push_part *part)
{
	return push_stream_put(((struct pipe_sink *)sink)->fd, part);
}

static bool has_slice(const struct collection *c)
{
	return c->sessions.nr && c->sessions.sessions[0].history->only->nr_slices;
}

/* The profile of the range of @spec; without samples it is empty. */
static int read_profile(const struct push_source *source, const struct profile_spec *spec,
			struct collection *collection, struct profile **ret, struct op_error *e)
{
	const struct spec_list no_path = { .nr = 0 };
	const struct merge nothing = { 0 };
	const struct collect_options collecting = {
		.session_dir = source->session_dir, .spec = spec, .merge = &nothing,
		.image_path = &no_path, .root = source->root, .files_only = true,
		.want_arcs = true,
	};
	const struct export_options exporting = { .symbols = true,
						   .demangle = DEMANGLE_NORMAL };
	struct notices notices = { .nr = 0 };
	int err = collect(&collecting, collection, &notices, e);

	if (!err)
		err = export_profile(collection, &exporting, ret, &notices, e);
	if ((!err || err == -ENOENT) && !has_slice(collection)) {
		err = op_error_set(e, -ESTALE, "%s", notices.nr ? notices.texts[0] :
				   "it was merged with others, removed or is damaged");
	} else if (err == -ENOENT) {
		*ret = profile_new();
		err = 0;
	}
	notices_free(&notices);
	return err;
}

/* Of the machine and the slice. One that was merged is another slice. */
static char *token_of(const struct session_info *info, const struct push_job *job)
{
	char line[256], id[PUSH_DIGEST];

	if (file_read_line("/etc/machine-id", line, sizeof(line)) || !*line)
		snprintf(line, sizeof(line), "%s", info->host);
	push_digest("oppush", line, id);
	return xasprintf("%.12s-%" PRIu64 "-%" PRId64 "-%" PRId64, id, job->segment,
			 job->begin_ns / (int64_t)NS_PER_MS, job->end_ns / (int64_t)NS_PER_MS);
}

#define FUNCTION_MAX	2048	/* bytes of a name, as of code that is made at run time */

static uint32_t cut(struct profile *p, uint32_t string)
{
	const char *text = profile_text(p, string);
	size_t n = FUNCTION_MAX;

	if (strnlen(text, n + 1) <= n)
		return string;
	while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--;		/* no part of a character */
	return profile_string_n(p, text, n);
}

/* So that a name of one user makes no part too large, which has the samples of others, too. */
static void cut_names(struct profile *p)
{
	for (uint32_t i = 0; i < p->nr_functions; i++) {
		struct profile_function *f = &p->functions[i];

		f->name = cut(p, f->name);
		f->system_name = cut(p, f->system_name);
		f->file = cut(p, f->file);
	}
}

static int encode(const struct push_rules *rules, const struct push_target *target,
		  const struct push_job *job, const struct collection *collection,
		  struct profile *profile, int out, struct op_error *e)
{
	const struct report_session *session = &collection->sessions.sessions[0];
	struct pipe_sink sink = { .sink = { .put = put }, .fd = out };
	char *token = token_of(&session->info, job);
	struct push_series series;
	int err;

	cut_names(profile);
	push_series_make(rules, profile, &session->info, job->segment_ns, &series);
	push_privacy_apply(rules, profile);
	err = target->kind->encode(target, &(struct push_batch){
		.token = token, .last_was_sent = job->last_was_sent,
		.slice = &session->history->only->slices[0], .profile = profile,
		.series = series.list, .nr_series = series.nr, .series_of = series.of,
		.rules = rules, .collection = collection }, &sink.sink, e);
	push_series_free(&series);
	free(token);
	return err;
}

static int make(const struct push_source *source, const struct push_rules *rules,
		const struct push_target *target, const struct push_job *job, int out,
		struct op_error *e)
{
	int64_t middle = job->begin_ns + (job->end_ns - job->begin_ns) / 2;
	char *name = history_folder_name((unsigned int)job->segment, (int64_t)job->segment_ns);
	const struct profile_spec spec = { .has_time = true, .time = { middle, middle + 1 },
					   .segment = name };
	struct collection collection = { .root = NULL };
	struct profile *profile = NULL;
	int err = read_profile(source, &spec, &collection, &profile, e);

	if (!err)
		err = encode(rules, target, job, &collection, profile, out, e);
	profile_free(profile);
	collection_free(&collection);
	free(name);
	return err;
}

void push_make(const struct push_source *source, const struct push_rules *rules,
	       const struct push_target *target, const struct push_job *job, int out)
{
	const struct confine_needs needs = { .line_cache = false };
	const struct rlimit cpu = { CPU_SECONDS, CPU_SECONDS };
	struct op_error e = { "" };
	int err;

	(void)setrlimit(RLIMIT_CPU, &cpu);	/* fails if it is lower already */
	err = confine(&needs, &e);

	if (!err)
		err = make(source, rules, target, job, out, &e);
	(void)push_stream_end(out, err, *e.text || !err ? e.text : strerror(-err));
}
