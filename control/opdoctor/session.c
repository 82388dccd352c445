// SPDX-License-Identifier: GPL-2.0-or-later
/* session.c - what a session lacks: samples, stacks, names */
#include "control/opdoctor/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/stack/store.h"
#include "libutil/file.h"
#include "libutil/number.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"
#include "pp/report/data_quality.h"

static void probe_losses(const struct report_session *s, struct findings *f)
{
	const char *advice = losses_advice(s->counts.lost, s->counts.received);
	struct strbuf reasons = STRBUF_INIT;
	char share[PERCENT_TEXT];
	uint64_t lost = 0;

	for (int i = 0; i < NR_LOSS_REASONS; i++) {
		lost += s->counts.lost[i];
		if (s->counts.lost[i])
			strbuf_addf(&reasons, "%s%" PRIu64 " (%s)", reasons.len ? ", " : "",
				    s->counts.lost[i], loss_text(i));
	}
	if (!lost)
		finding_add(f, VERDICT_OK, "samples", "%" PRIu64 " received, none lost",
			    s->counts.received);
	else
		finding_add(f, lost > s->counts.received / LOSS_SHARE ? VERDICT_POOR : VERDICT_OK,
			    "samples", "%" PRIu64 " received, %s lost: %s", s->counts.received,
			    number_format_percent(share, (double)lost, (double)s->counts.received),
			    reasons.text);
	if (advice)
		finding_advise(f, "%s", advice);
	if (s->counts.throttled) {
		finding_add(f, VERDICT_POOR, "throttled", "the kernel skipped %" PRIu64
			    " interrupts to keep the machine usable", s->counts.throttled);
		finding_advise(f, "sample less often: a larger count in --event=");
	}
	strbuf_free(&reasons);
}

/* What most often cuts stacks off, and what helps against it. */
static void advise_on_stacks(const uint64_t *ends, struct findings *f)
{
	static const char frame_pointers[] =
		"code without unwind tables (made at run time, or assembly) needs frame pointers: "
		"-fno-omit-frame-pointer, Java's -XX:+PreserveFramePointer";
	static const struct {
		unsigned int end;
		const char *advice;
	} advice[] = {
		{ STACK_TRUNCATED, "record with a larger --callgraph=DEPTH" },
		{ STACK_SHORT_COPY, "the stack is larger than what perf copies: use the module, or "
		  "build the program with -fno-omit-frame-pointer and use --unwind=fp" },
		{ STACK_BAD_FRAME, frame_pointers },
		{ STACK_UNREADABLE, frame_pointers },
		{ STACK_NO_MAPS, "profile for longer: code that was mapped a moment ago is not "
		  "known yet" },
	};
	size_t most = 0;

	for (size_t i = 1; i < sizeof(advice) / sizeof(advice[0]); i++)
		if (ends[advice[i].end] > ends[advice[most].end])
			most = i;
	if (ends[advice[most].end])
		finding_advise(f, "%s", advice[most].advice);
}

static void probe_stacks(const struct report_session *s, struct findings *f)
{
	const uint64_t *ends = s->counts.stacks;
	uint64_t all, incomplete;
	bool many = many_stacks_incomplete(ends, &incomplete, &all);
	char share[PERCENT_TEXT];

	if (!all) {
		finding_add(f, VERDICT_NOTE, "stacks", "none were recorded");
		finding_advise(f, "to see callers and flame graphs, record with --callgraph "
			       "(opcontrol: --callgraph=64)");
		return;
	}
	finding_add(f, many ? VERDICT_POOR : VERDICT_OK, "stacks",
		    "%s of %" PRIu64 " stacks are complete",
		    number_format_percent(share, (double)(all - incomplete), (double)all), all);
	if (many)
		advise_on_stacks(ends, f);
}

static void probe_kernel_names(const struct report_session *s, struct findings *f)
{
	if (strcmp(s->info.kernel_symbols, "hidden") != 0)
		return;
	finding_add(f, VERDICT_POOR, "kernel names", "kernel functions have no names: their "
		    "addresses were hidden while it was recorded");
	finding_advise(f, "see 'kernel symbols' above, then record again");
}

static int collect_all(const char *session_dir, const char *name, struct collection *c,
		       struct op_error *e)
{
	const struct merge merge = { true, true, true, true, true, true };
	const struct spec_list none = { 0 };
	char *word = xasprintf("session:%s", name);
	const char *args[] = { word };
	struct notices ignored = { 0 };
	struct profile_spec spec;
	int err = profile_spec_parse(args, 1, &spec, e);

	if (!err) {
		const struct collect_options options = {
			.session_dir = session_dir, .spec = &spec, .merge = &merge,
			.image_path = &none,
		};

		err = collect(&options, c, &ignored, e);
		profile_spec_free(&spec);
	}
	notices_free(&ignored);
	free(word);
	return err;
}

static void explain_missing(const struct machine *m, int err, const struct op_error *e,
			    struct findings *f)
{
	if ((err == -EACCES || err == -EPERM) && m->uid) {
		finding_add(f, VERDICT_NOTE, "session", "%s", e->text);
		finding_advise(f, "run opdoctor as root, or as a member of the group "
			       SESSION_GROUP);
	} else if (err == -ENOENT) {
		finding_add_with_remedy(f, VERDICT_NOTE, "session", "%s",
					*e->text ? e->text : "none");
	} else {
		finding_add(f, VERDICT_NO, "session", "%s", *e->text ? e->text : strerror(-err));
	}
}

static void probe_collected(const struct machine *m, struct collection *c, struct findings *f)
{
	const struct report_session *s = &c->sessions.sessions[0];
	char *title = sessions_title(&c->sessions);
	struct inversion inversion;
	uint64_t total = 0;

	finding_add(f, VERDICT_OK, "session", "'%s': %s", s->label, title);
	free(title);
	if (s->has_counts) {
		probe_losses(s, f);
		probe_stacks(s, f);
	}
	if (s->has_info)
		probe_kernel_names(s, f);
	invert_arrangement(&c->arrangement, &inversion);
	for (size_t i = 0; i < inversion.nr_images; i++)
		total += samples_of_image(&inversion.images[i]);
	probe_images(m, c, &inversion, total, f);
	probe_jit(&inversion, total, f);
	inversion_free(&inversion);
}

void probe_session(const struct machine *m, const char *session_dir, const char *name,
		   struct findings *f)
{
	struct collection c = { 0 };
	struct op_error e = { "" };
	int err;

	findings_begin(f, "session");
	err = collect_all(session_dir, name, &c, &e);
	if (err)
		explain_missing(m, err, &e, f);
	else
		probe_collected(m, &c, f);
	collection_free(&c);
}
