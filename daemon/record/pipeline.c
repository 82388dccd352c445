// SPDX-License-Identifier: GPL-2.0-or-later
/* pipeline.c - see pipeline.h */
#include "daemon/record/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/record/cgroups.h"
#include "daemon/record/ibs.h"
#include "events/cpu/type.h"
#include "libdb/history/segment.h"
#include "libdb/session/header.h"
#include "libutil/file.h"
#include "libutil/service_manager.h"

#define SESSION_STACKS	(UINT64_C(256) << 20)	/* bytes; an index in memory is as large */
#define HISTORY_STACKS	HISTORY_STORE_MAX

static void feed_words(void *context, const op_word *w, size_t nr)
{
	struct pipeline *p = context;

	trans_feed(p->trans, w, nr);
	(void)service_alive();	/* each new file is waited for: a drain may take long */
}

static void handle_module_range(void *context, bool loaded, uint64_t start, uint64_t size,
				const char *name)
{
	struct pipeline *p = context;

	kernel_module_range(p->kernel, loaded, start, size, name);
}

static void handle_module_loaded(void *context)
{
	struct pipeline *p = context;

	kernel_read_modules(p->kernel);
	kernel_capture_due(p->kernel);
}

static void handle_samples(void *context, const struct trans_state *state, bool changed,
			   const uint64_t *pcs, const uint32_t *counters, size_t nr)
{
	struct pipeline *p = context;

	attribute_samples(p->attribution, state, changed, pcs, counters, nr);
}

static void handle_stack(void *context, const struct trans_state *leaf,
			 const struct trans_frame *frames, size_t nr, uint32_t counter,
			 unsigned int end)
{
	struct pipeline *p = context;

	if (p->config->frame_pointers_only)
		end &= ~OP_STACK_FRAME_POINTERS;
	if (counter == TRANS_EXTENDED)
		attribute_extended_stack(p->stack_attribution, leaf, frames, nr, p->derived,
					 p->nr_derived, end);
	else
		attribute_stack(p->stack_attribution, leaf, frames, nr, counter, end);
}

/* Resolving the cookie passes its file to unwind_push_file(). */
static void handle_want_table(void *context, op_word cookie)
{
	struct pipeline *p = context;

	if (!p->unwind_push)
		return;
	(void)cookie_image(p->cookies, cookie);
	unwind_push_want(p->unwind_push, cookie);
}

static void handle_cookie_end(void *context, op_word cookie)
{
	struct pipeline *p = context;

	cookies_forget(p->cookies, cookie);
	if (p->unwind_push)
		unwind_push_forget(p->unwind_push, cookie);
}

/* A sample with an address that the CPU marked as invalid is lost, but was received. [EB-77] */
static void handle_ibs(void *context, const struct trans_state *state, enum op_code code,
		       const op_word *w)
{
	struct pipeline *p = context;
	int nr;

	p->nr_derived = 0;
	if (!p->config->ext) {		/* nobody requested any */
		stats_lost(&p->stats, state->cpu, LOST_STREAM, 1);
		return;
	}
	nr = ext_derive(p->config->ext, state, code, w, p->derived);
	if (nr == EXT_INVALID) {
		stats_lost(&p->stats, state->cpu, LOST_INVALID_PC, 1);
		return;
	}
	for (int i = 0; i < nr; i++)
		p->derived[i].event += p->config->nr_counters;
	p->nr_derived = nr;
	attribute_extended(p->attribution, state, true, w[0], p->derived, nr);
}

static const struct trans_ops handlers = {
	.samples = handle_samples,
	.module_range = handle_module_range,
	.module_loaded = handle_module_loaded,
	.ibs = handle_ibs,
	.stack = handle_stack,
	.want_table = handle_want_table,
	.cookie_end = handle_cookie_end,
};

/* The original's tools need a CPU type in every file: a timer's is the least wrong. */
static uint32_t header_number(const char *cpu_type)
{
	const struct cpu_type *type = cpu_type_by_name(cpu_type);
	int number = type ? cpu_type_header_number(type, SAMPLE_VERSION_1X) : -1;

	if (number < 0)
		number = cpu_type_header_number(cpu_type_by_name("timer"), SAMPLE_VERSION_1X);
	return number;
}

static void make_attribution(struct pipeline *p)
{
	const struct attribution_config config = {
		.separate = p->config->separate,
		.events = p->config->events,
		.nr_counters = p->config->nr_counters,
		.images = p->images,
		.cookies = p->cookies,
		.kernel = p->kernel,
		.anons = p->anons,
		.comms = p->comms,
		.cgroups = p->cgroups,
		.jit = p->jit,
		.sfiles = p->sfiles,
		.stats = &p->stats,
		.call_arcs = recorder_writes_arcs(p->config),
	};

	p->attribution = attribution_new(&config);
	p->stack_attribution = stack_attribution_new(&config, p->comms, p->stacks);
	if (p->config->history)
		attribution_keep_history(p->attribution, p->stack_attribution);
}

void pipeline_init(struct pipeline *p, const struct recorder_config *config)
{
	const struct sfile_config files = {
		.events = config->events,
		.nr_events = config->nr_events,
		.cpu_type = header_number(config->cpu_type),
		.cpu_mhz = config->clock_khz / 1000.0,
		.max_open = config->max_open,
		.max_files = config->max_files,
	};

	memset(p, 0, sizeof(*p));
	p->config = config;
	stats_init(&p->stats);
	p->images = images_new(config->wanted);
	p->binaries = binaries_new(config->collector);
	p->cookies = cookies_new(config->collector, p->images, p->binaries);
	if (config->unwind && config->collector->unwind_table) {
		p->unwind_push = unwind_push_new(config->collector, config->unwind,
						 config->registered);
		cookies_set_file_handler(p->cookies, unwind_push_file, p->unwind_push);
	}
	p->kernel = kernel_new(&config->kernel, p->images);
	p->anons = anons_new(config->proc);
	p->cgroups = cgroups_new(config->proc, config->collector);
	p->comms = comms_new(config->proc);
	p->jit = jit_processes_new(config->proc);
	jit_processes_use(p->jit, config->registered);
	p->sfiles = sfiles_new(&files, p->images, &p->stats);
	p->stacks[STACKS_OF_SESSION] = stacks_new(STACKS_OF_SESSION, config->events,
						  config->nr_events, p->images, SESSION_STACKS);
	if (config->history)
		p->stacks[STACKS_OF_HISTORY] = stacks_new(STACKS_OF_HISTORY, config->events,
							  config->nr_events, p->images,
							  HISTORY_STACKS);
	make_attribution(p);
	p->trans = trans_new(&handlers, p);
	trans_expect_branch_target(p->trans, ibs_has_branch_target(ibs_config_of(config->ext)));
}

void pipeline_free(struct pipeline *p)
{
	trans_free(p->trans);
	attribution_free(p->attribution);
	stack_attribution_free(p->stack_attribution);
	sfiles_free(p->sfiles);
	for (int i = 0; i < NR_STACKS; i++)
		stacks_free(p->stacks[i]);
	anons_free(p->anons);
	cgroups_free(p->cgroups);
	comms_free(p->comms);
	jit_processes_free(p->jit);
	kernel_free(p->kernel);
	cookies_free(p->cookies);
	binaries_free(p->binaries);
	unwind_push_free(p->unwind_push);
	images_free(p->images);
	stats_free(&p->stats);
}

void pipeline_set_session(struct pipeline *p, const char *samples_dir, const char *stats_dir)
{
	char *stacks = path_join(stats_dir, STACK_STORE_FILE);

	images_set_session(p->images, stats_dir);
	binaries_set_session(p->binaries, stats_dir);
	sfiles_set_session(p->sfiles, samples_dir);
	stacks_set_file(p->stacks[STACKS_OF_SESSION], stacks);
	kernel_set_session(p->kernel, stats_dir);
	comms_set_session(p->comms, stats_dir);
	jit_processes_set_session(p->jit, samples_dir);
	free(stacks);
}

static void sweep_images(struct pipeline *p)
{
	if (!images_are_many(p->images))
		return;
	cookies_keep_images(p->cookies);
	sfiles_keep_images(p->sfiles);
	kernel_keep_images(p->kernel);
	binaries_sweep(p->binaries);
	attribution_forget_images(p->attribution);
	stack_attribution_forget_images(p->stack_attribution);
	images_sweep(p->images);
}

int pipeline_drain(struct pipeline *p, bool flush, bool *ret_some, struct op_error *e)
{
	struct collector *collector = p->config->collector;
	uint64_t before = trans_stats(p->trans)->words;
	int err = collector->drain(collector, flush, feed_words, p, e);
	bool some = trans_stats(p->trans)->words != before;

	if (p->unwind_push)
		unwind_push_turn(p->unwind_push);
	sfiles_flush(p->sfiles);
	binaries_step(p->binaries);
	sweep_images(p);
	ext_sync(p->config->ext);
	kernel_capture_due(p->kernel);
	if (flush)
		comms_finish(p->comms);
	p->stats.dumps += some;
	if (ret_some)
		*ret_some = some;
	return err;
}

int pipeline_table_fd(const struct pipeline *p)
{
	return p->unwind_push ? unwind_push_fd(p->unwind_push) : -1;
}

void pipeline_end(struct pipeline *p)
{
	trans_end(p->trans);
	sfiles_flush(p->sfiles);
}
