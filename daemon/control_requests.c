// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * control_requests.c - the table of requests, and what each does
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/control_requests.h"
#include "daemon/priority.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/print_line.h"
#include "libutil/thread.h"
#include "unwind/cache.h"

#define SIZE_SECONDS	2	/* for how long a computed session size is reused */
#define SIZE_WAIT_NS	(20 * NS_PER_MS)
#define DEPTH_MAX	64	/* of folders: a sample file's path holds two paths */

void answer_add_line(struct strbuf *answer, const char *text)
{
	plain_add(answer, text);
	strbuf_add_char(answer, '\n');
}

/* status: lines of "key value" [CC-20] */

static void add_u64(struct strbuf *out, const char *key, uint64_t value)
{
	strbuf_addf(out, "%s %" PRIu64 "\n", key, value);
}

static uint64_t tree_size(int dir_fd, int depth)
{
	DIR *dir = fdopendir(dir_fd);
	struct dirent *entry;
	uint64_t sum = 0;
	struct stat st;

	if (!dir) {
		close(dir_fd);
		return 0;
	}
	while ((entry = readdir(dir))) {
		int sub;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (S_ISREG(st.st_mode))
			sum += st.st_size;
		if (!S_ISDIR(st.st_mode) || !depth)
			continue;
		sub = openat(dirfd(dir), entry->d_name,
			     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub >= 0)
			sum += tree_size(sub, depth - 1);
	}
	closedir(dir);
	return sum;
}

/*
 * Any user can request it, and the tree of a big session takes seconds: so a thread walks it, and
 * samples do not wait.
 */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t walked;
	bool is_walking, is_known;
	time_t at;			/* when it was known */
	uint64_t bytes;
} size = { .lock = PTHREAD_MUTEX_INITIALIZER, .walked = PTHREAD_COND_INITIALIZER };

static void *walk_session(void *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint64_t bytes = fd < 0 ? 0 : tree_size(fd, DEPTH_MAX);

	free(path);
	pthread_mutex_lock(&size.lock);
	size.bytes = bytes;
	size.at = now_seconds();
	size.is_known = true;
	size.is_walking = false;
	pthread_cond_signal(&size.walked);
	pthread_mutex_unlock(&size.lock);
	return NULL;
}

static void start_walk(const char *session_dir)
{
	char *path = session_samples_path(session_dir, SESSION_CURRENT);
	pthread_t thread;

	size.is_walking = !thread_start(&thread, walk_session, path);
	if (size.is_walking)
		pthread_detach(thread);
	else
		free(path);
}

/* The last known, if it takes long now: only the request that starts the thread waits a little. */
static void add_session_bytes(const char *session_dir, struct strbuf *out)
{
	uint64_t until = now_ns() + SIZE_WAIT_NS;

	pthread_mutex_lock(&size.lock);
	if (!size.is_walking && (!size.is_known || now_seconds() >= size.at + SIZE_SECONDS)) {
		start_walk(session_dir);
		while (size.is_walking && lock_wait(&size.walked, &size.lock, until))
			;
	}
	if (size.is_known)
		add_u64(out, "session_bytes", size.bytes);
	pthread_mutex_unlock(&size.lock);
}

static void add_buffer_sizes(struct strbuf *out)
{
	static const char *const files[] = { "buffer_size", "buffer_watershed", "cpu_buffer_size" };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *path = path_join(OPROFILEFS_MOUNT, files[i]);
		uint64_t value;

		if (!file_read_u64(path, &value))
			add_u64(out, files[i], value);
		free(path);
	}
}

/* The event of each counter, for how long it was enabled, and for how long it was counted. */
static void add_events(struct recorder *recorder, struct strbuf *out)
{
	for (unsigned int i = 0; i < COLLECTOR_COUNTERS_MAX; i++) {
		const struct sfile_event *event = recorder_event(recorder, i);
		uint64_t enabled_ns = 0, running_ns = 0;

		if (!event)
			continue;
		(void)recorder_event_time(recorder, i, &enabled_ns, &running_ns);
		strbuf_addf(out, "event.%u %s:%u:%u:%d:%d %" PRIu64 " %" PRIu64 "\n", i,
			    event->name, event->count, event->unit_mask, !event->no_kernel,
			    !event->no_user, enabled_ns, running_ns);
	}
}

static void add_unwind(struct unwind_cache *cache, struct strbuf *out)
{
	struct unwind_cache_stats stats;

	strbuf_addf(out, "unwind %s\n", cache ? "tables" : "fp");
	if (!cache)
		return;
	unwind_cache_stats(cache, &stats);
	add_u64(out, "unwind.tables", stats.tables);
	add_u64(out, "unwind.bytes", stats.bytes);
	add_u64(out, "unwind.limit", stats.limit);
	add_u64(out, "unwind.refused", stats.refused);
}

static void add_u64_unless_0(struct strbuf *out, const char *key, uint64_t value)
{
	if (value)
		add_u64(out, key, value);
}

static void add_stacks(const struct cpu_counts *all, struct strbuf *out)
{
	for (unsigned int i = 0; i < COUNTS_STACK_ENDS; i++)
		if (all->stacks[i])
			strbuf_addf(out, "stacks.%s %" PRIu64 "\n", counts_stack_end_name(i),
				    all->stacks[i]);
	add_u64_unless_0(out, "stacks_guessed", all->stacks_guessed);
	add_u64_unless_0(out, "stacks_interpreter", all->stacks_interpreter);
	add_u64_unless_0(out, "stacks_lost", all->stacks_lost);
	add_u64_unless_0(out, "arcs_lost", all->arcs_lost);
}

static void add_counts(struct recorder *recorder, struct strbuf *out)
{
	struct session_counts counts;
	struct cpu_counts all;

	recorder_counts(recorder, &counts);
	session_counts_total(&counts, &all);
	add_u64(out, "received", all.received);
	add_u64(out, "recorded", all.recorded);
	add_u64(out, "filtered", all.filtered);
	add_u64(out, "throttled", all.throttled);
	add_u64_unless_0(out, "idle", all.idle);
	add_u64_unless_0(out, "disturbed", all.disturbed);
	for (unsigned int i = 0; i < counts.nr_cpus; i++)
		if (counts.cpu[i].event_errors)
			strbuf_addf(out, "event_errors.cpu%u %" PRIu64 "\n", i,
				    counts.cpu[i].event_errors);
	for (int r = 0; r < NR_LOSS_REASONS; r++)
		if (all.lost[r])
			strbuf_addf(out, "lost.%s %" PRIu64 "\n", loss_name(r), all.lost[r]);
	add_stacks(&all, out);
	add_u64_unless_0(out, "stacks_memory", recorder_stacks_memory(recorder));
	add_u64_unless_0(out, "jit.refused", all.jit_refused);
	add_u64_unless_0(out, "jit.damaged", all.jit_damaged);
	free(counts.cpu);
}

/* [CC-63] */
static void add_priority(struct collector *collector, struct strbuf *out)
{
	struct collector_status status;

	if (!collector)
		return;
	strbuf_addf(out, "priority %s\n", priority_name(priority_now()));
	add_u64_unless_0(out, "priority.capped_s", priority_seconds_capped());
	collector->status(collector, &status);
	if (!*status.drain_priority)
		return;
	strbuf_addf(out, "drain.priority %s\n", status.drain_priority);
	add_u64(out, "drain.wait_longest_ns", status.wait_longest_ns);
	add_u64(out, "drain.wait_most_ns", status.wait_most_ns);
	add_u64(out, "drain.queues_full", status.queues_full);
}

static void add_text(const char *key, const char *text, struct strbuf *out)
{
	if (!text || !*text)
		return;
	strbuf_addf(out, "%s ", key);
	answer_add_line(out, text);
}

static void add_status(const struct control_config *config, struct strbuf *out)
{
	const struct session_info *info = recorder_info(config->recorder);
	uint64_t rate;

	add_u64(out, "pid", getpid());
	strbuf_addf(out, "state %s\n", recorder_running(config->recorder) ? "running" : "paused");
	strbuf_addf(out, "collector %s\n", info->collector);
	add_text("no_bpf", config->no_bpf, out);
	strbuf_addf(out, "model %s\n", info->model);
	strbuf_addf(out, "cpu_type %s\n", info->cpu_type);
	add_u64(out, "period_ns", info->period_ns);
	add_u64(out, "clock_khz", info->clock_khz);
	if (recorder_rate(config->recorder, &rate))
		add_u64(out, "rate", rate);
	strbuf_addf(out, "session_dir %s\n", config->session_dir);
	strbuf_addf(out, "events %s\n", info->events);
	if (strcmp(info->cpu_type, "timer"))
		add_events(config->recorder, out);
	strbuf_addf(out, "separate %s\n", info->separate);
	strbuf_addf(out, "kernel_symbols %s\n", info->kernel_symbols);
	strbuf_addf(out, "vmlinux %s\n", info->vmlinux);
	strbuf_addf(out, "image_filter %s\n", config->image_filter);
	add_u64(out, "callgraph_depth", config->callgraph_depth);
	if (config->callgraph_depth)
		add_unwind(config->unwind, out);
	if (config->oprofilefs)
		add_buffer_sizes(out);
	add_counts(config->recorder, out);
	add_priority(config->collector, out);
	ext_status(config->ext, out);
	add_text("trouble", recorder_trouble(config->recorder), out);
	add_session_bytes(config->session_dir, out);
	add_u64(out, "start_time", info->start_time);
}

/* The requests */

static int do_ping(const struct control_config *config, const char *argument, struct strbuf *text,
		   struct op_error *e)
{
	(void)config, (void)argument, (void)text, (void)e;
	return 0;
}

static int do_status(const struct control_config *config, const char *argument,
		     struct strbuf *text, struct op_error *e)
{
	(void)argument, (void)e;
	add_status(config, text);
	return 0;
}

static int do_start(const struct control_config *config, const char *argument, struct strbuf *text,
		    struct op_error *e)
{
	int err = recorder_start(config->recorder, e);
	char *note = err ? NULL : recorder_take_note(config->recorder);

	(void)argument;
	add_text("note", note, text);
	free(note);
	return err;
}

static int do_stop(const struct control_config *config, const char *argument, struct strbuf *text,
		   struct op_error *e)
{
	(void)argument, (void)text;
	return recorder_stop(config->recorder, e);
}

static int do_reset(const struct control_config *config, const char *argument, struct strbuf *text,
		    struct op_error *e)
{
	(void)argument, (void)text;
	return recorder_reset(config->recorder, e);
}

static int do_save(const struct control_config *config, const char *argument, struct strbuf *text,
		   struct op_error *e)
{
	(void)text;
	return recorder_save(config->recorder, argument, e);
}

static const struct request requests[] = {
	{ "ping",     true,  false, ANSWER_NOW,    true,  do_ping },
	{ "status",   true,  false, ANSWER_RECENT, true,  do_status },
	{ "dump",     true,  false, ANSWER_DUMPED, true,  NULL },
	{ "start",    false, false, ANSWER_NOW,    false, do_start },
	{ "stop",     false, false, ANSWER_NOW,    false, do_stop },
	{ "reset",    false, false, ANSWER_NOW,    false, do_reset },
	{ "save",     false, true,  ANSWER_NOW,    false, do_save },
	{ "shutdown", false, false, ANSWER_ENDED,  true,  NULL },
};

/* The request is quoted in answers and in the log. */
static void make_printable(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

const struct request *request_find(char *line, const char **ret_argument)
{
	size_t len;

	make_printable(line);
	len = strcspn(line, " ");
	*ret_argument = line[len] ? line + len + 1 : "";
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		if (strlen(requests[i].word) == len && !memcmp(requests[i].word, line, len))
			return &requests[i];
	return NULL;
}

int request_check(const struct request *request, const char *line, const char *argument, bool owner,
		  struct op_error *e)
{
	if (!request)
		return op_error_set(e, -EINVAL, "unknown request '%.40s'", line);
	if (!request->anybody && !owner)
		return op_error_set(e, -EPERM,
				    "only root and the daemon's own user may request '%s'",
				    request->word);
	if (request->argument != (argument[0] != '\0'))
		return op_error_set(e, -EINVAL, "'%s' %s", request->word,
				    request->argument ? "needs an argument" : "takes no argument");
	return 0;
}
