// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder.c - draining the collector into sample files, and counting what became of the samples
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/record/cgroups.h"
#include "daemon/record/comms.h"
#include "daemon/record/ibs.h"
#include "daemon/record/recorder_private.h"
#include "events/cpu/type.h"
#include "libdb/session/header.h"
#include "libutil/clock.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

static void words(void *context, const op_word *w, size_t nr)
{
	struct recorder *r = context;

	trans_feed(r->trans, w, nr);
}

void recorder_counts(struct recorder *r, struct session_counts *ret)
{
	stats_collect(&r->stats, r->config.collector, ret);
	session_counts_subtract(ret, &r->origin);
	session_counts_add(ret, &r->before);
}

static bool at_rest(const struct recorder *r)
{
	return !r->running && !r->drain_failed;
}

static void blame(struct recorder *r, enum loss_reason reason)
{
	struct session_counts c;

	recorder_counts(r, &c);
	for (unsigned int i = 0; i < c.nr_cpus; i++) {
		uint64_t accounted = cpu_counts_accounted(&c.cpu[i]);

		if (c.cpu[i].received > accounted)
			stats_lost(&r->stats, i, reason, c.cpu[i].received - accounted);
	}
	session_counts_free(&c);
}

void recorder_blame_garbage(struct recorder *r)
{
	if (at_rest(r) && trans_stats(r->trans)->words_skipped)
		blame(r, LOST_STREAM);
}

/* [SS-21] At rest they must balance by themselves; if they do not, that is to be seen. */
static void leave_out_under_way(const struct recorder *r, struct session_counts *c)
{
	for (unsigned int i = 0; i < c->nr_cpus && !at_rest(r); i++)
		c->cpu[i].received = cpu_counts_accounted(&c->cpu[i]);
}

/*
 * Events' times, and copies of the statistics in files for each CPU. Any user may ask for dumps as
 * fast as he likes: while sampling runs, these are written once in a second at most.
 */
static int write_rest(struct recorder *r, const struct session_counts *c)
{
	time_t now = now_seconds();
	int err;

	if (!at_rest(r) && now == r->rest_second)
		return 0;
	r->rest_second = now;
	err = stats_write_copies(r->stats_dir, c);	/* all they say is in the counts */
	if (err)
		log_about(LOG_MISC, "cannot write copies of the statistics below '%s': %s",
			  r->stats_dir, strerror(-err));
	return recorder_times_write(r);
}

void recorder_write_counts(struct recorder *r)
{
	struct session_counts c;
	int err;

	jit_processes_look(r->jit);
	binaries_look(r->binaries);
	kernel_capture_due(r->kernel);
	if (r->info_due)
		recorder_write_info(r);
	recorder_counts(r, &c);
	leave_out_under_way(r, &c);
	err = session_counts_write(r->stats_dir, &c);
	r->counts_err = err;
	if (!err && r->room_due)
		recorder_keep_room(r);
	if (!err)
		err = write_rest(r, &c);
	recorder_told(r, err);
	session_counts_free(&c);
}

/* The original's tools know no file without a CPU type: then a timer's is the least wrong. */
static uint32_t header_number(const char *cpu_type)
{
	const struct cpu_type *type = cpu_type_by_name(cpu_type);
	int number = type ? cpu_type_header_number(type, SAMPLE_VERSION_1X) : -1;

	if (number < 0)
		number = cpu_type_header_number(cpu_type_by_name("timer"), SAMPLE_VERSION_1X);
	return number;
}

int recorder_open(const struct recorder_config *config, struct recorder **ret, struct op_error *e)
{
	struct recorder *r = xcalloc(1, sizeof(*r));
	struct sfile_config files = {
		.events = config->events,
		.nr_events = config->nr_events,
		.cpu_type = header_number(config->cpu_type),
		.cpu_mhz = config->clock_khz / 1000.0,
		.max_open = config->max_open,
	};
	int err;

	r->config = *config;
	stats_init(&r->stats);
	r->images = images_new(config->wanted);
	r->binaries = binaries_new(config->collector);
	r->cookies = cookies_new(config->collector, r->images, r->binaries);
	if (config->unwind && config->collector->unwind_table) {
		r->unwind_push = unwind_push_new(config->collector, config->unwind);
		cookies_tell_files(r->cookies, unwind_push_file, r->unwind_push);
	}
	r->kernel = kernel_new(&config->kernel, r->images);
	r->anons = anons_new(config->proc);
	r->cgroups = cgroups_new(config->proc, config->collector);
	r->comms = comms_new(config->proc);
	r->jit = jit_processes_new(config->proc);
	r->sfiles = sfiles_new(&files, r->images, &r->stats);
	r->stacks = stacks_new(config->events, config->nr_counters, r->images, &r->stats);
	r->attribution = attribution_new(&(struct attribution_config){
		.separate = config->separate,
		.events = config->events,
		.nr_counters = config->nr_counters,
		.images = r->images,
		.cookies = r->cookies,
		.kernel = r->kernel,
		.anons = r->anons,
		.cgroups = r->cgroups,
		.comms = r->comms,
		.jit = r->jit,
		.sfiles = r->sfiles,
		.stacks = r->stacks,
		.stats = &r->stats,
	});
	r->trans = trans_new(&recorder_ops, r);
	trans_expect_branch_target(r->trans, ibs_has_branch_target(ibs_config_of(config->ext)));
	r->samples_dir = session_samples_path(config->session_dir, SESSION_CURRENT);
	r->stats_dir = session_stats_path(config->session_dir, SESSION_CURRENT, NULL);
	recorder_describe(r);
	recorder_remove_leftovers(r);
	err = recorder_enter_session(r, e);
	if (err) {
		recorder_close(r);
		return err;
	}
	*ret = r;
	return 0;
}

void recorder_close(struct recorder *r)
{
	if (!r)
		return;
	trans_end(r->trans);
	sfiles_flush(r->sfiles);
	if (r->drain_failed) {		/* what lies in the collector will never be read */
		blame(r, LOST_UNREAD);
		r->running = r->drain_failed = false;
		recorder_write_counts(r);
	}
	if (r->info.start_time && !r->counts_err)
		recorder_end_session(r);
	trans_free(r->trans);
	attribution_free(r->attribution);
	sfiles_free(r->sfiles);
	stacks_free(r->stacks);
	anons_free(r->anons);
	cgroups_free(r->cgroups);
	comms_free(r->comms);
	jit_processes_free(r->jit);
	kernel_free(r->kernel);
	cookies_free(r->cookies);
	binaries_free(r->binaries);
	unwind_push_free(r->unwind_push);
	images_free(r->images);
	stats_free(&r->stats);
	session_counts_free(&r->before);
	session_counts_free(&r->origin);
	recorder_times_free(r);
	free(r->samples_dir);
	free(r->stats_dir);
	free(r);
}

/* Sampling */

int recorder_drain(struct recorder *r, bool flush, bool *ret_some, struct op_error *e)
{
	uint64_t before = trans_stats(r->trans)->words;
	int err = r->config.collector->drain(r->config.collector, flush, words, r, e);
	bool some = trans_stats(r->trans)->words != before;

	r->drain_failed = err;
	if (r->unwind_push)
		unwind_push_turn(r->unwind_push);
	sfiles_flush(r->sfiles);
	binaries_step(r->binaries);
	ext_sync(r->config.ext);
	kernel_capture_due(r->kernel);
	r->stats.dumps += some;
	if (ret_some)
		*ret_some = some;
	return err;
}

void recorder_forget_unwritten(struct recorder *r)
{
	const char *why;

	r->dump_told.samples = sfiles_unwritten(r->sfiles, &why);
	r->dump_told.arcs = sfiles_arcs_unwritten(r->sfiles, &why);
	r->stop_told = r->dump_told;
}

/* A user who asks for his samples must not take silence for all of them. [CC-8] */
static int tell_unwritten(struct recorder *r, struct told *told, struct op_error *e)
{
	const char *why;
	uint64_t samples = sfiles_unwritten(r->sfiles, &why) - told->samples;
	uint64_t arcs = sfiles_arcs_unwritten(r->sfiles, &why) - told->arcs;

	told->samples += samples;
	told->arcs += arcs;
	if (samples)
		return op_error_set(e, -EIO, "%" PRIu64 " samples could not be written and are "
				    "lost: %s", samples, why);
	if (arcs)
		return op_error_set(e, -EIO, "%" PRIu64 " calls of call graphs could not be "
				    "written and are lost: %s", arcs, why);
	if (r->counts_err)
		return op_error_set(e, r->counts_err, "what became of the samples cannot be "
				    "written: '%s/counts': %s", r->stats_dir,
				    strerror(-r->counts_err));
	return 0;
}

static void drain_meanwhile(void *context)
{
	struct recorder *r = context;

	if (r->running)
		(void)recorder_drain(r, false, NULL, NULL);	/* tried again, and told, soon */
}

void recorder_name_code(struct recorder *r)
{
	const struct jit_troubles *troubles = jit_processes_troubles(r->jit);
	struct cpu_counts *cpu = stats_cpu(&r->stats, 0);

	jit_processes_convert(r->jit, drain_meanwhile, r);
	cpu->jit_refused = troubles->refused;
	cpu->jit_damaged = troubles->damaged;
	binaries_finish(r->binaries, drain_meanwhile, r);
}

int recorder_start(struct recorder *r, struct op_error *e)
{
	int err;

	if (r->running)
		return 0;
	kernel_read_modules(r->kernel);
	err = r->config.collector->start(r->config.collector, e);
	if (err)
		return err;
	r->running = true;
	recorder_write_counts(r);	/* how many CPUs there are: wanted after a kill [SS-24] */
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
	r->running = false;
	err = recorder_drain(r, true, NULL, e);
	recorder_blame_garbage(r);
	kernel_capture_now(r->kernel);
	recorder_name_code(r);
	recorder_write_counts(r);
	log_about(LOG_MISC, "sampling stopped; %" PRIu64 " words for %" PRIu64 " samples so far",
		  trans_stats(r->trans)->words, r->stats.samples);
	return err ? err : tell_unwritten(r, &r->stop_told, e);
}

bool recorder_running(const struct recorder *r)
{
	return r->running;
}

int recorder_dump(struct recorder *r, struct op_error *e)
{
	int err = recorder_drain(r, true, NULL, e);

	kernel_capture_now(r->kernel);
	recorder_name_code(r);
	recorder_write_counts(r);
	return err ? err : tell_unwritten(r, &r->dump_told, e);
}

void recorder_close_files(struct recorder *r)
{
	sfiles_close_all(r->sfiles);
	stacks_close(r->stacks);
}

void recorder_log_statistics(struct recorder *r)
{
	struct strbuf text = STRBUF_INIT;
	struct session_counts c;

	recorder_counts(r, &c);
	stats_format(&r->stats, trans_stats(r->trans), &c, &text);
	ext_print_stats(r->config.ext, &text);
	log_text(text.text);
	strbuf_free(&text);
	session_counts_free(&c);
}

bool recorder_sync(struct recorder *r)
{
	int err;
	bool more = sfiles_sync_part(r->sfiles, &err);

	if (err)
		log_line("cannot bring sample files to the disk: %s", strerror(-err));
	if (more)
		return true;
	err = stacks_sync(r->stacks);
	if (err)
		log_line("cannot bring the call stacks to the disk: %s", strerror(-err));
	recorder_write_counts(r);
	recorder_log_statistics(r);
	return false;
}

const struct sfile_event *recorder_event(const struct recorder *r, unsigned int counter)
{
	const struct sfile_event *event = &r->config.events[counter];

	return counter < r->config.nr_counters && event->name[0] ? event : NULL;
}

const struct stats *recorder_stats(const struct recorder *r)
{
	return &r->stats;
}

const struct session_info *recorder_info(const struct recorder *r)
{
	return &r->info;
}

const char *recorder_trouble(const struct recorder *r)
{
	const char *samples = sfiles_trouble(r->sfiles), *stacks = stacks_trouble(r->stacks);

	return *samples ? samples : *stacks ? stacks : r->told_err ? r->trouble.text : "";
}
