// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder.c - sampling in sessions, and counting what became of the samples
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "daemon/record/durations.h"
#include "daemon/record/earlier_session.h"
#include "daemon/record/pipeline.h"
#include "daemon/record/rate.h"
#include "daemon/record/recorder.h"
#include "daemon/record/session_files.h"
#include "daemon/record/slices.h"
#include "libdb/session/writer.h"
#include "libutil/clock.h"
#include "libutil/errand.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

#define WAIT_NS	(10 * NS_PER_MS)	/* between two drains while the history is written */

/* Losses that an answer has reported: sfiles_unwritten() and sfiles_arcs_unwritten(). */
struct reported_losses {
	uint64_t samples, arcs;
};

struct recorder {
	struct recorder_config config;
	struct pipeline pipeline;
	bool running;
	unsigned int nr_resets;
	bool drain_failed;		/* the last time: samples wait that could not be read */

	struct session_files files;
	/*
	 * The session's counts are @before (earlier daemons) + what collector and daemon counted
	 * since they started - @origin (the part of other sessions, saved or discarded).
	 */
	struct session_counts before, origin;
	struct durations durations;
	struct history *history;	/* NULL: none is kept */
	struct slices slices;
	struct rate rate;
	bool saves_code;		/* save_code() has been called */
	time_t details_second;		/* when write_details() wrote last */
	struct reported_losses dump_losses, stop_losses;
	struct op_error note;		/* for the next answer to start, */
	char collector_note[256];	/* and what the collector adds */
};

/* Counts */

void recorder_counts(struct recorder *r, struct session_counts *ret)
{
	stats_collect(&r->pipeline.stats, r->config.collector, ret);
	session_counts_subtract(ret, &r->origin);
	session_counts_add(ret, &r->before);
}

/* No samples are under way. */
static bool is_idle(const struct recorder *r)
{
	return !r->running && !r->drain_failed;
}

static void count_missing_as_lost(struct recorder *r, enum loss_reason reason)
{
	struct session_counts c;

	recorder_counts(r, &c);
	for (unsigned int i = 0; i < c.nr_cpus; i++) {
		uint64_t accounted = cpu_counts_accounted(&c.cpu[i]);

		if (c.cpu[i].received > accounted)
			stats_lost(&r->pipeline.stats, i, reason, c.cpu[i].received - accounted);
	}
	session_counts_free(&c);
}

/*
 * Garbage in the stream, never seen from a healthy collector, hides samples that nobody can count
 * one by one: once no samples are under way, those that are missing were lost in it.
 */
static void count_lost_in_garbage(struct recorder *r)
{
	if (is_idle(r) && trans_stats(r->pipeline.trans)->words_skipped)
		count_missing_as_lost(r, LOST_STREAM);
}

/* [SS-21] When idle they must balance by themselves; if they do not, the file is to show it. */
static void subtract_under_way(const struct recorder *r, struct session_counts *c)
{
	for (unsigned int i = 0; i < c->nr_cpus && !is_idle(r); i++)
		c->cpu[i].received = cpu_counts_accounted(&c->cpu[i]);
}

/*
 * The durations of events, and copies of the statistics in files for each CPU. Any user may request
 * dumps at any rate, so they are written at most once a second while sampling runs.
 */
static int write_details(struct recorder *r, const struct session_counts *c)
{
	time_t now = now_seconds();
	int err;

	if (!is_idle(r) && now == r->details_second)
		return 0;
	r->details_second = now;
	err = stats_write_copies(r->files.stats_dir, c);	/* they add nothing to the counts */
	if (err)
		log_about(LOG_MISC, "cannot write copies of the statistics to '%s': %s",
			  r->files.stats_dir, strerror(-err));
	return durations_write(&r->durations, r->files.stats_dir);
}

void recorder_write_counts(struct recorder *r)
{
	struct session_files *files = &r->files;
	struct session_counts c;
	int err;

	jit_processes_look(r->pipeline.jit);
	binaries_check_paths(r->pipeline.binaries);
	kernel_capture_due(r->pipeline.kernel);
	if (files->info_due)
		session_files_write_info(files);
	recorder_counts(r, &c);
	subtract_under_way(r, &c);
	err = session_counts_write(files->stats_dir, &c);
	files->counts_err = err;
	if (!err && files->room_due)
		(void)session_files_reserve(files);
	if (!err)
		err = write_details(r, &c);
	session_files_report(files, err);
	session_counts_free(&c);
}

static void measure_rate(struct recorder *r)
{
	uint64_t now = now_ns();
	struct session_counts c;

	if (!rate_is_due(&r->rate, now))
		return;
	stats_collect(&r->pipeline.stats, r->config.collector, &c);
	rate_measure(&r->rate, &c, now);
	session_counts_free(&c);
}

static struct slice_counts slice_counts(struct recorder *r)
{
	struct slice_counts ret = {
		.not_kept = stack_attribution_not_kept(r->pipeline.stack_attribution),
	};
	struct session_counts c;

	recorder_counts(r, &c);
	session_counts_total(&c, &ret.totals);
	session_counts_free(&c);
	memcpy(ret.unfiled, r->pipeline.stats.unfiled, sizeof(ret.unfiled));
	return ret;
}

static void do_meanwhile(void *context)
{
	struct recorder *r = context;

	if (r->running)
		(void)recorder_drain(r, false, NULL, NULL);	/* the next one reports a failure */
	if (r->config.meanwhile)
		r->config.meanwhile(r->config.context);
}

/*
 * Write the symbols of JIT code that was sampled, and copy binaries that reports would not find.
 * Drains samples meanwhile, and lets the caller answer.
 */
static void save_code(struct recorder *r)
{
	const struct jit_troubles *troubles = jit_processes_troubles(r->pipeline.jit);
	struct cpu_counts *cpu = stats_cpu(&r->pipeline.stats, 0);

	r->saves_code = true;
	jit_processes_convert(r->pipeline.jit, do_meanwhile, r);
	cpu->jit_refused = troubles->refused;
	cpu->jit_damaged = troubles->damaged;
	binaries_finish(r->pipeline.binaries, do_meanwhile, r);
	r->saves_code = false;
}

/* Of JIT code a segment has what is in the session when it ends. */
static void end_slices(struct recorder *r)
{
	struct slice_counts c;

	if (!slices_are_due(&r->slices))
		return;
	if (slices_end_segment(&r->slices)) {
		if (r->saves_code)
			return;		/* when that is done */
		save_code(r);
	}
	c = slice_counts(r);
	slices_turn(&r->slices, &c, r->files.stats_dir);
}

int recorder_drain(struct recorder *r, bool flush, bool *ret_some, struct op_error *e)
{
	int err = pipeline_drain(&r->pipeline, flush, ret_some, e);

	r->drain_failed = err;
	if (r->running)
		measure_rate(r);
	end_slices(r);
	return err;
}

int recorder_table_fd(const struct recorder *r)
{
	return pipeline_table_fd(&r->pipeline);
}

/* Samples are drained meanwhile. */
static void wait_for_keeper(struct recorder *r)
{
	do_meanwhile(r);
	history_wait(r->history, now_ns() + WAIT_NS);
}

/* Until it has all slices that have ended. */
static void wait_for_history(struct recorder *r)
{
	while (!slices_are_written(&r->slices))
		wait_for_keeper(r);
}

/* The history gets the slice so far. @is_last: the session ends, and the segment with it. */
static void end_slice(struct recorder *r, bool is_last)
{
	struct slice_counts c;

	if (!r->history)		/* counting reads the collector's files */
		return;
	c = slice_counts(r);
	while (!slices_end(&r->slices, &c, r->files.stats_dir, is_last)) {
		wait_for_keeper(r);
		c = slice_counts(r);
	}
}

/* Every sample so far is in the history then. */
static void write_slice(struct recorder *r)
{
	end_slice(r, false);
	wait_for_history(r);
}

static void begin_slices(struct recorder *r)
{
	struct slice_counts c;

	if (!r->history)
		return;
	c = slice_counts(r);
	slices_begin(&r->slices, &c, r->files.stats_dir);
}

/* Sessions */

static bool names_have_counts(const struct recorder_config *config)
{
	for (unsigned int i = 0; i < config->nr_events; i++)
		if (config->events[i].name[0] && !config->events[i].count)
			return false;
	return true;
}

/*
 * Set up the session "current", new or left by an earlier daemon. After a failure the session can
 * be used too: what is missing below stats/ is written as soon as it can be.
 */
static int enter_session(struct recorder *r, struct op_error *e)
{
	struct session_files *files = &r->files;
	const char *stats_dir = files->stats_dir;
	int err;

	session_files_settle(files);
	err = earlier_session_save(r->config.session_dir, &files->info,
				   names_have_counts(&r->config), r->pipeline.kernel, &r->note, e);
	if (err)
		return err;
	session_files_begin(files);
	session_counts_free(&r->before);
	if (session_counts_read(stats_dir, &r->before))
		memset(&r->before, 0, sizeof(r->before));
	durations_enter_session(&r->durations, stats_dir);
	pipeline_set_session(&r->pipeline, files->samples_dir, stats_dir);
	session_write_vdso(stats_dir);	/* for reports to name what runs there */

	/* the first writes that must succeed: before anything runs a bad disk is reported here */
	err = session_files_try_write_info(files);
	files->room_due = true;
	recorder_write_counts(r);
	if (!err)
		err = files->counts_err ? files->counts_err : session_files_reserve(files);
	if (err)
		return op_error_set(e, err, "cannot write '%s/session': %s", stats_dir,
				    strerror(-err));
	return 0;
}

/* What was accounted for so far belongs to the old session; what is under way to the new one. */
static void move_origin(struct recorder *r)
{
	durations_leave_session(&r->durations);
	session_counts_free(&r->origin);
	stats_collect(&r->pipeline.stats, r->config.collector, &r->origin);
	for (unsigned int i = 0; i < r->origin.nr_cpus; i++) {
		uint64_t accounted = cpu_counts_accounted(&r->origin.cpu[i]);

		if (accounted < r->origin.cpu[i].received)
			r->origin.cpu[i].received = accounted;
	}
}

/*
 * Write everything taken until now, rename the session to @to, and start a new one. If it cannot be
 * renamed the session continues. @discard: it is going to be removed.
 */
static int leave_session(struct recorder *r, const char *to, bool discard, struct op_error *e)
{
	struct session_files *files = &r->files;
	struct op_error why = { "" };
	int err = recorder_drain(r, true, NULL, e);

	if (err)
		return err;
	count_lost_in_garbage(r);
	kernel_capture_now(r->pipeline.kernel);
	if (!discard)
		save_code(r);
	r->details_second = 0;		/* these are the last ones of this session */
	wait_for_history(r);		/* which drains, and so must not happen later */
	recorder_write_counts(r);
	if (files->logged_err && !discard)
		return op_error_set(e, files->logged_err, "cannot write the session's counts: %s; "
				    "the session stays as it is", strerror(-files->logged_err));
	session_files_end(files);
	end_slice(r, true);
	recorder_close_files(r);
	if (renameat2(AT_FDCWD, files->samples_dir, AT_FDCWD, to, RENAME_NOREPLACE) < 0) {
		err = op_error_set(e, -errno, "cannot rename '%s' to '%s': %s", files->samples_dir,
				   to, strerror(errno));
		session_files_reopen(files);
		begin_slices(r);
		return err;
	}
	move_origin(r);
	if (enter_session(r, &why))
		log_line("the new session is incomplete: %s; retrying periodically", why.text);
	begin_slices(r);
	return 0;
}

/* Losses until now are not to be reported any more. */
static void forget_losses(struct recorder *r)
{
	const char *why;

	r->dump_losses.samples = sfiles_unwritten(r->pipeline.sfiles, &why);
	r->dump_losses.arcs = sfiles_arcs_unwritten(r->pipeline.sfiles, &why);
	r->stop_losses = r->dump_losses;
}

int recorder_reset(struct recorder *r, struct op_error *e)
{
	char *aside = NULL;
	int err;

	do {	/* an earlier one may not be empty yet, and then it stays */
		char name[48];

		free(aside);
		snprintf(name, sizeof(name), SESSION_REMOVED_PREFIX "%d.%u", getpid(),
			 r->nr_resets++);
		aside = session_samples_path(r->config.session_dir, name);
	} while (file_exists(aside));
	err = leave_session(r, aside, true, e);
	free(aside);
	if (err)
		return err;
	forget_losses(r);
	wait_for_history(r);		/* it keeps links to the session's files */
	session_files_remove_discarded(&r->files);
	log_line("discarded the session's samples");
	return 0;
}

int recorder_save(struct recorder *r, const char *name, struct op_error *e)
{
	char *to;
	int err;

	if (!session_name_ok(name) || !strcmp(name, SESSION_CURRENT))
		return op_error_set(e, -EINVAL, "invalid session name '%.200s': expected letters, "
				    "digits and . _ - +, not beginning with a dot, and not '"
				    SESSION_CURRENT "'", name);
	to = session_samples_path(r->config.session_dir, name);
	if (file_exists(to))
		err = op_error_set(e, -EEXIST, "session '%s' already exists; remove it or choose "
				   "another name", name);
	else
		err = leave_session(r, to, false, e);
	free(to);
	if (!err)
		log_line("saved the session as '%s'", name);
	return err;
}

/* Opening and closing */

int recorder_open(const struct recorder_config *config, struct recorder **ret, struct op_error *e)
{
	struct recorder *r = xcalloc(1, sizeof(*r));
	struct collector_status status = { .period_ns = 0 };
	int err;

	r->config = *config;
	pipeline_init(&r->pipeline, &r->config);
	durations_init(&r->durations, config->collector, config->events, config->nr_counters);
	config->collector->status(config->collector, &status);
	snprintf(r->collector_note, sizeof(r->collector_note), "%s", status.note);
	session_files_init(&r->files, config, &status, r->pipeline.kernel);
	session_files_remove_discarded(&r->files);
	err = enter_session(r, e);
	if (!err && config->history)
		err = history_open(config->session_dir, config->history,
				   config->proc ? config->proc : "/proc", &r->history, e);
	slices_init(&r->slices, r->history, r->pipeline.stacks[STACKS_OF_HISTORY]);
	if (err) {
		recorder_close(r);
		return err;
	}
	begin_slices(r);
	*ret = r;
	return 0;
}

void recorder_close(struct recorder *r)
{
	if (!r)
		return;
	pipeline_end(&r->pipeline);
	if (r->drain_failed) {		/* what the collector holds will never be read */
		count_missing_as_lost(r, LOST_UNREAD);
		r->running = r->drain_failed = false;
		recorder_write_counts(r);
	}
	if (r->files.info.start_time && !r->files.counts_err)
		session_files_end(&r->files);
	end_slice(r, true);
	history_close(r->history);
	stacks_pack(r->pipeline.stacks[STACKS_OF_SESSION]);
	pipeline_free(&r->pipeline);
	session_counts_free(&r->before);
	session_counts_free(&r->origin);
	durations_free(&r->durations);
	rate_free(&r->rate);
	session_files_free(&r->files);
	free(r);
}

/* Sampling */

/* Without this a user who requests the samples would take them for complete. [CC-8] */
static int report_losses(struct recorder *r, struct reported_losses *reported, struct op_error *e)
{
	const char *why;
	uint64_t samples = sfiles_unwritten(r->pipeline.sfiles, &why) - reported->samples;
	uint64_t arcs = sfiles_arcs_unwritten(r->pipeline.sfiles, &why) - reported->arcs;

	reported->samples += samples;
	reported->arcs += arcs;
	if (samples)
		return op_error_set(e, -EIO, "lost %" PRIu64 " samples that could not be written: "
				    "%s", samples, why);
	if (arcs)
		return op_error_set(e, -EIO, "lost %" PRIu64 " call graph arcs that could not be "
				    "written: %s", arcs, why);
	if (r->files.counts_err)
		return op_error_set(e, r->files.counts_err, "cannot write '%s/counts': %s",
				    r->files.stats_dir, strerror(-r->files.counts_err));
	return 0;
}

int recorder_start(struct recorder *r, struct op_error *e)
{
	struct session_counts c;
	int err;

	if (r->running)
		return 0;
	if (slices_have_gap(&r->slices)) {
		end_slice(r, true);
		begin_slices(r);
	}
	kernel_read_modules(r->pipeline.kernel);
	err = r->config.collector->start(r->config.collector, e);
	if (err)
		return err;
	r->running = true;
	slices_start(&r->slices);
	errand_set_urgent(true);
	stats_collect(&r->pipeline.stats, r->config.collector, &c);
	rate_start(&r->rate, &c, now_ns());
	recorder_write_counts(r);	/* after a kill the number of CPUs is needed [SS-24] */
	log_about(LOG_MISC, "sampling started");
	return 0;
}

int recorder_stop(struct recorder *r, struct op_error *e)
{
	int err = 0;

	if (r->running)
		err = r->config.collector->stop(r->config.collector, e);
	if (err)
		return err;
	if (r->running)
		slices_stop(&r->slices);
	r->running = false;
	errand_set_urgent(false);
	err = recorder_drain(r, true, NULL, e);
	count_lost_in_garbage(r);
	kernel_capture_now(r->pipeline.kernel);
	save_code(r);
	recorder_write_counts(r);
	write_slice(r);
	log_about(LOG_MISC, "sampling stopped; %" PRIu64 " words for %" PRIu64 " samples so far",
		  trans_stats(r->pipeline.trans)->words, r->pipeline.stats.samples);
	return err ? err : report_losses(r, &r->stop_losses, e);
}

bool recorder_running(const struct recorder *r)
{
	return r->running;
}

int recorder_dump(struct recorder *r, struct op_error *e)
{
	int err = recorder_drain(r, true, NULL, e);

	kernel_capture_now(r->pipeline.kernel);
	save_code(r);
	recorder_write_counts(r);
	if (slices_take_dump(&r->slices))
		write_slice(r);
	return err ? err : report_losses(r, &r->dump_losses, e);
}

int recorder_dump_samples(struct recorder *r, struct op_error *e)
{
	int err;

	if (!r->saves_code)
		return -EBUSY;
	err = recorder_drain(r, true, NULL, e);
	recorder_write_counts(r);
	return err ? err : report_losses(r, &r->dump_losses, e);
}

void recorder_close_files(struct recorder *r)
{
	sfiles_close_all(r->pipeline.sfiles);
	stacks_close(r->pipeline.stacks[STACKS_OF_SESSION]);
}

void recorder_log_statistics(struct recorder *r)
{
	struct strbuf text = STRBUF_INIT;
	struct session_counts c;

	recorder_counts(r, &c);
	stats_format(&r->pipeline.stats, trans_stats(r->pipeline.trans), &c, &text);
	ext_print_stats(r->config.ext, &text);
	log_text(text.text);
	strbuf_free(&text);
	session_counts_free(&c);
}

bool recorder_sync(struct recorder *r)
{
	int err;
	bool more = sfiles_sync_part(r->pipeline.sfiles, &err);

	if (err)
		log_line("cannot sync sample files: %s", strerror(-err));
	if (more)
		return true;
	for (int i = 0; i < NR_STACKS; i++) {
		err = r->pipeline.stacks[i] ? stacks_sync(r->pipeline.stacks[i]) : 0;
		if (err)
			log_line("cannot sync the stack store: %s", strerror(-err));
	}
	recorder_write_counts(r);
	recorder_log_statistics(r);
	return false;
}

/* State */

bool recorder_rate(const struct recorder *r, uint64_t *ret_per_second)
{
	*ret_per_second = r->rate.per_second;
	return r->rate.known;
}

const struct sfile_event *recorder_event(const struct recorder *r, unsigned int counter)
{
	const struct sfile_event *event = &r->config.events[counter];

	return counter < r->config.nr_counters && event->name[0] ? event : NULL;
}

bool recorder_event_time(const struct recorder *r, unsigned int counter, uint64_t *ret_enabled_ns,
			 uint64_t *ret_running_ns)
{
	return durations_get(&r->durations, counter, ret_enabled_ns, ret_running_ns);
}

const struct stats *recorder_stats(const struct recorder *r)
{
	return &r->pipeline.stats;
}

const struct session_info *recorder_info(const struct recorder *r)
{
	return &r->files.info;
}

const char *recorder_trouble(const struct recorder *r)
{
	const char *samples = sfiles_trouble(r->pipeline.sfiles);
	const char *stacks = stacks_trouble(r->pipeline.stacks[STACKS_OF_SESSION]);

	if (*samples)
		return samples;
	if (*stacks)
		return stacks;
	return r->files.logged_err ? r->files.trouble.text : "";
}

uint64_t recorder_stacks_memory(const struct recorder *r)
{
	uint64_t sum = 0;

	for (int i = 0; i < NR_STACKS; i++)
		if (r->pipeline.stacks[i])
			sum += stacks_memory(r->pipeline.stacks[i]);
	return sum;
}

char *recorder_take_note(struct recorder *r)
{
	const char *trouble = recorder_trouble(r), *separator = "";
	char *note = NULL;

	if (r->note.text[0] && r->collector_note[0])
		separator = "; ";
	if (r->note.text[0] || r->collector_note[0])
		note = xasprintf("%s%s%s", r->note.text, separator, r->collector_note);
	else if (*trouble)
		note = xasprintf("samples are being lost: %s", trouble);
	r->note.text[0] = r->collector_note[0] = '\0';
	return note;
}
