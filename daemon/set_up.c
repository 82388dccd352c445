// SPDX-License-Identifier: GPL-2.0-or-later
/* set_up.c - set up oprofiled's parts, and tear them down */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/collect/bpf/walker.h"
#include "daemon/collect/registered/registered.h"
#include "daemon/daemon.h"
#include "daemon/jit/files.h"
#include "daemon/jit/sweep.h"
#include "daemon/privileges.h"
#include "daemon/process.h"
#include "daemon/record/ibs.h"
#include "libdb/history/folder.h"
#include "libdb/session/header.h"
#include "libdb/session/lock.h"
#include "libdb/session/session.h"
#include "libutil/channel.h"
#include "libutil/cpu_clock.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/opener/ask.h"
#include "libutil/opener/start.h"
#include "libutil/sandbox/worker.h"
#include "libutil/service_manager.h"
#include "unwind/cache.h"

static int make_dirs(const struct options *o, struct op_error *e)
{
	char *current = session_samples_path(o->session_dir, SESSION_CURRENT);
	char *socket = session_control_path(o->session_dir);
	char *history = path_join(o->session_dir, HISTORY_DIR);
	int err;

	umask(022);		/* the socket is for all users */
	err = file_make_dirs(o->session_dir, 0755);
	if (!err)
		err = file_make_parent_dirs(socket, 0755);
	free(socket);
	umask(o->world_readable ? 022 : 027);
	if (!err)
		err = file_make_dirs(current, 0755);
	if (!err && o->keep_history)
		err = file_make_dirs(history, 0755);
	if (!err)
		err = session_set_rights(o->session_dir, o->world_readable);
	if (err)
		op_error_set(e, err, "cannot create the session directory '%s': %s; choose another "
			     "with --session-dir=", current, strerror(-err));
	else if (access(o->session_dir, W_OK | X_OK) || access(current, W_OK | X_OK))
		err = op_error_set(e, -errno, "cannot write to the session directory '%s': %s; "
				   "choose another with --session-dir=", o->session_dir,
				   strerror(errno));
	free(history);
	free(current);
	return err;
}

static bool has_tables(const struct options *o)
{
	return o->callgraph_depth && !o->frame_pointers_only;
}

/* Starts threads, so it must run after the fork to the background. */
static int make_unwind_cache(struct daemon *d, struct op_error *e)
{
	const struct options *o = &d->options;
	int err = 0;

	if (has_tables(o))
		err = unwind_cache_create(o->unwind_memory, &d->unwind);
	if (!err)
		err = registered_create(d->unwind, &d->registered);
	return err ? op_error_set(e, err, "cannot make unwind tables: %s; use --unwind=fp to do "
				  "without them", strerror(-err)) : 0;
}

/* All of it is in use from the start, however few tables there are. */
static size_t walker_memory(const struct options *o)
{
	size_t most = (size_t)sysconf(_SC_PHYS_PAGES) / 32 * (size_t)sysconf(_SC_PAGESIZE);

	return o->unwind_memory < most ? o->unwind_memory : most;
}

/* As root; what it opens serves whoever records. */
static int load_walker(struct daemon *d, struct op_error *e)
{
	const struct options *o = &d->options;
	bool is_auto = !strcmp(o->collector, "auto");
	int err;

	if ((!is_auto && strcmp(o->collector, "bpf") != 0) || !has_tables(o))
		return 0;
	err = bpf_walker_load(walker_memory(o), &d->walker, is_auto ? &d->no_bpf : e);
	return is_auto ? 0 : err;
}

static int open_collector(struct daemon *d, struct op_error *e)
{
	const struct options *o = &d->options;
	struct collector_config config = {
		.cpu_type = o->cpu_type,
		.events = d->events.collected,
		.nr_events = o->nr_events,
		.ibs = ibs_config_of(o->ext),
		.clock_khz = cpu_clock_khz(),
		.callgraph_depth = o->callgraph_depth,
		.frame_pointers_only = o->frame_pointers_only,
		.idle = o->idle,
		.cgroups = o->separate.cgroup,
		.comms = o->separate.thread,
		.unwind = d->unwind,
		.walker = d->walker,
		.registered = d->registered,
	};
	int err;

	d->collector = strcmp(o->collector, "module") ? collector_perf() : collector_device();
	err = d->collector->open(d->collector, &config, e);
	if (err && d->walker && !strcmp(o->collector, "auto")) {
		d->no_bpf = *e;		/* as before Linux 5.19 [PC-97] */
		bpf_walker_free(d->walker);
		config.walker = d->walker = NULL;
		err = d->collector->open(d->collector, &config, e);
	}
	if (err)
		return err;
	d->collector_open = true;
	d->collector->status(d->collector, &d->status);
	d->clock_khz = d->status.clock_khz ? d->status.clock_khz : config.clock_khz;
	return 0;
}

static void answer_meanwhile(void *context)
{
	const struct daemon *d = context;

	(void)service_alive();
	if (d->control)
		control_serve_busy(d->control);
}

static int open_recorder(struct daemon *d, struct op_error *e)
{
	const struct options *o = &d->options;
	struct recorder_config config = {
		.session_dir = o->session_dir,
		.collector = d->collector,
		.separate = o->separate,
		.kernel = o->kernel,
		.wanted = (const char *const *)o->wanted,
		.cpu_type = o->cpu_type,
		.clock_khz = d->clock_khz,
		.events = d->events.filed,
		.nr_counters = d->events.nr_counters,
		.nr_events = d->events.nr_filed,
		.events_text = d->events_text,
		.registered = d->registered,
		.unwind = d->unwind,
		.frame_pointers_only = o->frame_pointers_only,
		.ext = o->ext,
		.call_arcs = o->call_arcs,
		.history = o->keep_history ? &o->history : NULL,
		.meanwhile = answer_meanwhile,
		.context = d,
	};

	return recorder_open(&config, &d->recorder, e);
}

static int open_control(struct daemon *d, struct op_error *e)
{
	struct control_config config = {
		.session_dir = d->options.session_dir,
		.recorder = d->recorder,
		.image_filter = d->image_filter,
		.ext = d->options.ext,
		.callgraph_depth = d->options.callgraph_depth,
		.unwind = d->unwind,
		.collector = d->collector,
		.no_bpf = d->no_bpf.text,
		.oprofilefs = !strcmp(d->collector->name, "module"),
		.listening = d->listening,
	};

	d->listening = 0;
	return control_open(&config, &d->control, e);
}

static int open_log(const struct options *o, struct op_error *e)
{
	char *path = session_log_path(o->session_dir);
	int err = o->foreground ? 0 : log_open(path, e);

	free(path);
	log_topics = o->log_topics;
	return err;
}

/* So that the daemon does not keep the file system busy that it was started in. */
static int enter_session_dir(const struct options *o, struct op_error *e)
{
	if (chdir(o->session_dir))
		return op_error_set(e, -errno, "cannot enter '%s': %s", o->session_dir,
				    strerror(errno));
	return 0;
}

/* What must be written to folders that stay root's. */
static int write_session_dir(struct daemon *d, struct op_error *e)
{
	const char *dir = d->options.session_dir;
	int err = session_abi_write(dir, SAMPLE_VERSION_1X);

	if (err)
		return op_error_set(e, err, "cannot write '%s/abi': %s", dir, strerror(-err));
	d->listening = channel_listen(d->control_path, 0666, e);
	if (d->listening >= 0)
		return 0;
	err = d->listening;
	d->listening = 0;
	return err;
}

/* As root the rest runs as another user, and this process has files opened for it. */
static int give_up_privileges(struct daemon *d, struct op_error *e)
{
	struct opener_config config = {
		.capabilities = privileges_of_opener(),
		.is_symbol_file = jit_is_symbol_file,
		.is_symbol_folder = jit_is_symbol_folder,
		.removable = d->removable,
		.nr_removable = 2,
	};
	int err;

	privileges_choose_user(d->options.session_dir, &d->user);
	if (geteuid())
		return privileges_drop(d->options.session_dir, 0, e);
	config.uid = d->user.uid;
	err = opener_start(&config, e);
	return err ? err : privileges_become(d->options.session_dir, &d->user, e);
}

int daemon_set_up(struct daemon *d, struct op_error *e)
{
	int err = make_dirs(&d->options, e);

	if (err)
		return err;
	d->removable[0] = d->lock_path = session_lock_path(d->options.session_dir);
	d->removable[1] = d->control_path = session_control_path(d->options.session_dir);
	d->lock_fd = lock_take(d->options.session_dir, e);
	if (d->lock_fd < 0)
		return d->lock_fd;
	err = enter_session_dir(&d->options, e);
	if (!err)
		err = worker_start(e);
	if (!err)
		err = open_log(&d->options, e);
	if (!err)
		jit_sweep();
	sfiles_raise_limit();
	if (!err)
		err = write_session_dir(d, e);
	if (!err)
		err = load_walker(d, e);
	if (!err)
		err = give_up_privileges(d, e);
	if (!err)
		err = request_events(&d->options, &d->events, e);
	if (!err)
		err = make_unwind_cache(d, e);
	if (!err)
		err = open_collector(d, e);
	if (!err)
		err = ext_open(d->options.ext, d->options.session_dir, e);
	d->events_text = options_events_text(&d->options);
	d->image_filter = options_images_text(&d->options);
	if (!err)
		err = open_recorder(d, e);
	if (!err)
		err = open_control(d, e);
	if (!err)
		err = lock_sign(d->lock_fd, d->options.session_dir, e);
	return err;
}

/* In reverse order. */
void daemon_tear_down(struct daemon *d, int err, const struct op_error *e)
{
	recorder_close(d->recorder);
	ext_close(d->options.ext);
	if (d->collector_open)
		d->collector->close(d->collector);
	bpf_walker_free(d->walker);
	registered_destroy(d->registered);
	unwind_cache_destroy(d->unwind);
	if (d->control) {
		control_stop_listening(d->control);
	} else if (d->listening) {
		(void)opener_remove(d->control_path);
		close(d->listening);
	}
	if (d->lock_fd >= 0)
		session_lock_remove(d->lock_fd, d->options.session_dir);
	if (d->control)
		control_answer_shutdown(d->control, err, e);
	control_close(d->control);
	if (d->lock_fd >= 0)
		close(d->lock_fd);
	log_close();
	free(d->lock_path);
	free(d->control_path);
	free(d->events_text);
	free(d->image_filter);
	options_free(&d->options);
}
