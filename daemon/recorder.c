// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder.c - draining the collector into sample files, and the life of a session
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "build_id.h"
#include "cpu_type.h"
#include "file.h"
#include "log.h"
#include "recorder.h"
#include "xalloc.h"

struct recorder {
	struct recorder_config config;
	struct stats stats;
	struct images *images;
	struct cookies *cookies;
	struct kernel *kernel;
	struct anons *anons;
	struct sfiles *sfiles;
	struct attribution *attribution;
	struct trans_ops ops;
	struct trans *trans;
	bool running;

	char *samples_dir, *stats_dir;	/* of "current" */
	struct session_info info;
	/*
	 * The session's counts are @before (earlier daemons') + what collector and daemon counted
	 * since they started - @origin (what of it went to sessions saved or thrown away).
	 */
	struct session_counts before, origin;
	int told_err;			/* the last failure to write below stats/, told once */
};

/* What trans.c calls */

static void module_range(void *context, bool loaded, uint64_t start, uint64_t size,
			 const char *name)
{
	struct recorder *r = context;

	kernel_module_range(r->kernel, loaded, start, size, name);
}

static void module_loaded(void *context)
{
	struct recorder *r = context;

	kernel_read_modules(r->kernel);
	kernel_capture_due(r->kernel);
}

static void samples(void *context, const struct trans_state *state, bool changed,
		    const uint64_t *pcs, const uint32_t *counters, size_t nr)
{
	struct recorder *r = context;

	attribute_samples(r->attribution, state, changed, pcs, counters, nr);
}

static void words(void *context, const op_word *w, size_t nr)
{
	struct recorder *r = context;

	trans_feed(r->trans, w, nr);
}

/* The session's own files */

static void told(struct recorder *r, int err)
{
	if (err && err != r->told_err)
		log_line("cannot write below '%s': %s", r->stats_dir, strerror(-err));
	r->told_err = err;
}

static void write_info(struct recorder *r)
{
	snprintf(r->info.kernel_symbols, sizeof(r->info.kernel_symbols), "%s",
		 kernel_symbols_word(r->kernel));
	told(r, session_info_write(r->stats_dir, &r->info));
}

void recorder_counts(struct recorder *r, struct session_counts *ret)
{
	stats_collect(&r->stats, r->config.collector, ret);
	counts_subtract(ret, &r->origin);
	counts_add(ret, &r->before);
}

/*
 * Garbage in the stream (never seen from a healthy collector) swallows samples that nobody can
 * count one by one: once nothing is under way any more, what is missing was lost there.
 */
static void blame_garbage(struct recorder *r)
{
	struct session_counts c;

	if (!trans_stats(r->trans)->words_skipped)
		return;
	recorder_counts(r, &c);
	for (unsigned int i = 0; i < c.nr_cpus; i++) {
		uint64_t accounted = counts_accounted(&c.cpu[i]);

		if (c.cpu[i].received > accounted)
			stats_lost(&r->stats, i, LOST_STREAM, c.cpu[i].received - accounted);
	}
	counts_free(&c);
}

void recorder_write_counts(struct recorder *r)
{
	struct session_counts c;
	int err;

	kernel_capture_due(r->kernel);
	recorder_counts(r, &c);
	err = session_counts_write(r->stats_dir, &c);
	if (!err)
		err = stats_write_copies(r->stats_dir, &c);
	told(r, err);
	counts_free(&c);
}

static void read_kernel_build_id(char *text)
{
	struct build_id id = { .len = 0 };
	char *notes;
	size_t len;

	text[0] = '\0';
	if (file_read_all("/sys/kernel/notes", 1 << 20, &notes, &len))
		return;
	if (!build_id_read_notes(notes, len, &id))
		build_id_text(&id, text);
	free(notes);
}

static void describe_separation(const struct separation *s, char *text, size_t size)
{
	int n = snprintf(text, size, "%s%s%s%s", s->lib ? " lib" : "", s->kernel ? " kernel" : "",
			 s->thread ? " thread" : "", s->cpu ? " cpu" : "");

	if (n)
		memmove(text, text + 1, n);
	else
		snprintf(text, size, "none");
}

static void describe_session(struct recorder *r)
{
	const struct recorder_config *config = &r->config;
	struct session_info *info = &r->info;
	struct collector_status status = { .period_ns = 0 };
	struct utsname name;

	memset(info, 0, sizeof(*info));
	config->collector->status(config->collector, &status);
	snprintf(info->collector, sizeof(info->collector), "%s", config->collector->name);
	snprintf(info->model, sizeof(info->model), "%s", status.model);
	snprintf(info->cpu_type, sizeof(info->cpu_type), "%s", config->cpu_type);
	info->clock_khz = config->clock_khz;
	info->period_ns = status.period_ns;
	snprintf(info->events, sizeof(info->events), "%s", config->asked_events);
	if (config->kernel.vmlinux)
		snprintf(info->vmlinux, sizeof(info->vmlinux), "%s", config->kernel.vmlinux);
	describe_separation(&config->separate, info->separate, sizeof(info->separate));
	if (!uname(&name)) {
		snprintf(info->host, sizeof(info->host), "%s", name.nodename);
		snprintf(info->kernel, sizeof(info->kernel), "%s", name.release);
		snprintf(info->machine, sizeof(info->machine), "%.31s", name.machine);
	}
	read_kernel_build_id(info->kernel_build_id);
}

/* Kernel samples of another boot mean other symbols: that session is complete as it is. */
static int keep_other_boot(struct recorder *r, struct op_error *e)
{
	char name[40], *to;
	time_t now = time(NULL);
	struct tm tm;
	int err = 0;

	if (kernel_fits_session(r->kernel, r->stats_dir))
		return 0;
	localtime_r(&now, &tm);
	strftime(name, sizeof(name), "boot-until-%Y%m%d-%H%M%S", &tm);
	to = session_samples_path(r->config.session_dir, name);
	if (renameat2(AT_FDCWD, r->samples_dir, AT_FDCWD, to, RENAME_NOREPLACE))
		err = op_error_set(
			e, -errno,
			"cannot keep the samples of an earlier boot as '%s': %s; opcontrol "
			"--reset throws them away",
			to, strerror(errno));
	else
		log_line("the session's samples are of an earlier boot: kept as session '%s'",
			 name);
	free(to);
	return err;
}

/* Make ready what lies in "current", new or left by an earlier daemon. */
static int enter_session(struct recorder *r, struct op_error *e)
{
	struct session_info earlier;
	int err = keep_other_boot(r, e);

	if (err)
		return err;
	err = file_make_dirs(r->stats_dir, 0755);
	if (err)
		return op_error_set(e, err, "cannot make '%s': %s", r->stats_dir, strerror(-err));
	r->info.start_time = time(NULL);
	r->info.end_time = 0;
	counts_free(&r->before);
	if (!session_info_read(r->stats_dir, &earlier)) {
		if (earlier.start_time)
			r->info.start_time = earlier.start_time;
		if (earlier.period_ns && earlier.period_ns != r->info.period_ns)
			log_line("the session holds samples taken every %" PRIu64
				 " ns already, now it is %" PRIu64
				 " ns: their counts are not comparable",
				 earlier.period_ns, r->info.period_ns);
	}
	if (session_counts_read(r->stats_dir, &r->before))
		memset(&r->before, 0, sizeof(r->before));
	images_set_session(r->images, r->stats_dir);
	sfiles_set_session(r->sfiles, r->samples_dir);
	kernel_set_session(r->kernel, r->stats_dir);

	/* the first real writes: a full or read-only disk is told here, before anything runs */
	snprintf(r->info.kernel_symbols, sizeof(r->info.kernel_symbols), "%s",
		 kernel_symbols_word(r->kernel));
	err = session_info_write(r->stats_dir, &r->info);
	if (err)
		return op_error_set(e, err, "cannot write '%s/session': %s", r->stats_dir,
				    strerror(-err));
	return 0;
}

int recorder_open(const struct recorder_config *config, struct recorder **ret, struct op_error *e)
{
	const struct cpu_type *type = cpu_type_by_name(config->cpu_type);
	struct recorder *r = xcalloc(1, sizeof(*r));
	struct sfile_config files = {
		.events = config->events,
		.nr_events = config->nr_events,
		.cpu_type = type && type->number_1x >= 0 ? type->number_1x : 0,
		.cpu_mhz = config->clock_khz / 1000.0,
		.max_open = config->max_open,
	};
	int err;

	r->config = *config;
	stats_init(&r->stats);
	r->images = images_new(config->wanted);
	r->cookies = cookies_new(config->collector, r->images);
	r->kernel = kernel_new(&config->kernel, r->images);
	r->anons = anons_new(config->proc);
	r->sfiles = sfiles_new(&files, r->images, &r->stats);
	r->attribution = attribution_new(&(struct attribution_config){
		.separate = config->separate,
		.no_kernel = config->no_kernel,
		.no_user = config->no_user,
		.nr_events = config->nr_events,
		.images = r->images,
		.cookies = r->cookies,
		.kernel = r->kernel,
		.anons = r->anons,
		.sfiles = r->sfiles,
		.stats = &r->stats,
	});
	r->ops = (struct trans_ops) { samples, module_range, module_loaded };
	r->trans = trans_new(&r->ops, r);
	r->samples_dir = session_samples_path(config->session_dir, SESSION_CURRENT);
	r->stats_dir = session_stats_path(config->session_dir, SESSION_CURRENT, NULL);
	describe_session(r);
	err = enter_session(r, e);
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
	if (r->info.start_time && !r->told_err) {
		r->info.end_time = time(NULL);
		write_info(r);
	}
	trans_free(r->trans);
	attribution_free(r->attribution);
	sfiles_free(r->sfiles);
	anons_free(r->anons);
	kernel_free(r->kernel);
	cookies_free(r->cookies);
	images_free(r->images);
	stats_free(&r->stats);
	counts_free(&r->before);
	counts_free(&r->origin);
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

	sfiles_flush(r->sfiles);
	kernel_capture_due(r->kernel);
	r->stats.dumps += some;
	if (ret_some)
		*ret_some = some;
	return err;
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
	blame_garbage(r);
	kernel_capture_now(r->kernel);
	recorder_write_counts(r);
	log_about(LOG_MISC, "sampling stopped; %" PRIu64 " words for %" PRIu64 " samples so far",
		  trans_stats(r->trans)->words, r->stats.samples);
	return err;
}

bool recorder_running(const struct recorder *r)
{
	return r->running;
}

int recorder_dump(struct recorder *r, struct op_error *e)
{
	int err = recorder_drain(r, true, NULL, e);

	kernel_capture_now(r->kernel);
	recorder_write_counts(r);
	return err;
}

/* Sessions */

/* What was accounted for so far belongs to the session left; what is under way to the next. */
static void move_origin(struct recorder *r)
{
	counts_free(&r->origin);
	stats_collect(&r->stats, r->config.collector, &r->origin);
	for (unsigned int i = 0; i < r->origin.nr_cpus; i++) {
		uint64_t accounted = counts_accounted(&r->origin.cpu[i]);

		if (accounted < r->origin.cpu[i].received)
			r->origin.cpu[i].received = accounted;
	}
}

/*
 * Everything taken until now into the old session, which then is renamed to @to; a new and
 * empty one takes its place. If the rename fails the old one goes on.
 */
static int leave_session(struct recorder *r, const char *to, bool replace, struct op_error *e)
{
	int err = recorder_drain(r, true, NULL, e), err2;

	if (err)
		return err;
	if (!r->running)
		blame_garbage(r);
	kernel_capture_now(r->kernel);
	recorder_write_counts(r);
	r->info.end_time = time(NULL);
	write_info(r);
	sfiles_close_all(r->sfiles);
	if (renameat2(AT_FDCWD, r->samples_dir, AT_FDCWD, to, replace ? 0 : RENAME_NOREPLACE) < 0) {
		err = -errno;
		op_error_set(e, err, "cannot rename '%s' to '%s': %s", r->samples_dir, to,
			     strerror(-err));
	} else {
		move_origin(r);
	}
	err2 = enter_session(r, err ? NULL : e);
	return err ? err : err2;
}

int recorder_reset(struct recorder *r, struct op_error *e)
{
	char name[32], *aside;
	int err, err2;

	snprintf(name, sizeof(name), ".removed.%d", getpid());	/* no session's name */
	aside = session_samples_path(r->config.session_dir, name);
	err = file_remove_tree(aside);
	if (!err)
		err = leave_session(r, aside, true, e);
	else
		op_error_set(e, err, "cannot remove '%s': %s", aside, strerror(-err));
	err2 = file_remove_tree(aside);
	if (!err && err2)
		err = op_error_set(e, err2, "cannot remove '%s': %s", aside, strerror(-err2));
	free(aside);
	if (!err)
		log_line("the session's samples were removed");
	return err;
}

int recorder_save(struct recorder *r, const char *name, struct op_error *e)
{
	char *to;
	int err;

	if (!session_name_ok(name) || !strcmp(name, SESSION_CURRENT))
		return op_error_set(
			e, -EINVAL,
			"'%.200s' is no name for a session: letters, digits and . _ - + "
			"only, not starting with a dot, and not '" SESSION_CURRENT "'",
			name);
	to = session_samples_path(r->config.session_dir, name);
	if (file_exists(to))
		err = op_error_set(e, -EEXIST,
				   "session '%s' exists; remove it or choose another name", name);
	else
		err = leave_session(r, to, false, e);
	free(to);
	if (!err)
		log_line("session saved as '%s'", name);
	return err;
}

void recorder_close_files(struct recorder *r)
{
	sfiles_close_all(r->sfiles);
}

void recorder_log_statistics(struct recorder *r)
{
	struct strbuf text = STRBUF_INIT;
	struct session_counts c;

	recorder_counts(r, &c);
	stats_format(&r->stats, trans_stats(r->trans), &c, &text);
	log_text(text.text);
	strbuf_free(&text);
	counts_free(&c);
}

void recorder_sync(struct recorder *r)
{
	int err = sfiles_sync(r->sfiles);

	if (err)
		log_line("cannot bring sample files to the disk: %s", strerror(-err));
	recorder_write_counts(r);
	recorder_log_statistics(r);
}

const struct session_info *recorder_info(const struct recorder *r)
{
	return &r->info;
}
