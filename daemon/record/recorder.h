/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder.h - everything between a collector and a session directory
 *
 * Drains words from the collector, decodes and attributes them, and writes the session: sample
 * files, stats/session, stats/counts, stats/kernel-symbols. It knows nothing of sockets, signals
 * or options, so that a test can run one on a collector of its own.
 *
 * A session directory has one recorder at a time; the caller holds the lock that ensures it.
 * Calls return 0 or -errno and explain in @e.
 */
#ifndef DAEMON_RECORD_RECORDER_H
#define DAEMON_RECORD_RECORDER_H

#include "daemon/collect/collector.h"
#include "daemon/record/attribute.h"
#include "daemon/record/ext_feature.h"
#include "daemon/record/kernel.h"
#include "daemon/record/sfile.h"
#include "libdb/history/config.h"
#include "libdb/session/session.h"

struct recorder_config {
	const char *session_dir;
	struct collector *collector;	/* open; only the recorder reads from it */
	struct separation separate;
	struct kernel_config kernel;
	const char *const *wanted;	/* --image=, NULL terminated; NULL: all */
	const char *cpu_type;		/* OProfile's name: "timer" */
	uint64_t clock_khz;
	/* As sample files name them, by counter; derived ones follow, up to @nr_events. */
	const struct sfile_event *events;
	unsigned int nr_counters, nr_events;
	const char *events_text;	/* session_info.events */
	const char *profiled;		/* NULL: the whole machine */
	struct registered *registered;	/* for names of JIT code, too; NULL: files only */
	struct unwind_cache *unwind;	/* for stacks; NULL: frame pointers only, or no stacks */
	bool frame_pointers_only;	/* as requested, so stacks are not marked as such [CC-52] */
	struct ext *ext;		/* the feature of the derived events; NULL: none */
	size_t max_open;		/* sample files; 0: choose */
	size_t max_files;		/* made in a session; 0: the default [SS-7] */
	const char *proc;		/* NULL: "/proc" */
	bool call_arcs;			/* count call arcs in {cg} files */
	const struct history_config *history;	/* NULL: keep none */
	/*
	 * Called several times a second while a dump, stop or save waits for JIT symbols, which may
	 * take minutes; may only ask for the recorder's state, and recorder_dump_samples(). NULL:
	 * nothing.
	 */
	void (*meanwhile)(void *context);
	void *context;
};

/* The stack store does not record which frames --image= asked for. [EB-79] */
static inline bool recorder_writes_arcs(const struct recorder_config *config)
{
	return config->call_arcs || (config->wanted && config->wanted[0]);
}

struct recorder;

/* Create or continue the session "current". @config's strings must outlive the recorder. */
int recorder_open(const struct recorder_config *config, struct recorder **ret, struct op_error *e);
/* Write everything and mark the session as complete. The collector stays open. NULL is fine. */
void recorder_close(struct recorder *r);

/*
 * Drain the collector into the sample files. @flush: also what is in per-CPU buffers. *ret_some
 * (may be NULL): there were words.
 */
int recorder_drain(struct recorder *r, bool flush, bool *ret_some, struct op_error *e);
/* Readable (poll) when a drain gives the collector an unwind table that it wants; -1: none. */
int recorder_table_fd(const struct recorder *r);

int recorder_start(struct recorder *r, struct op_error *e);
/*
 * Every sample taken is in the files afterwards, and the counts add up. -EIO: they do, but samples
 * were lost since the last stop because their files could not be written.
 */
int recorder_stop(struct recorder *r, struct op_error *e);
bool recorder_running(const struct recorder *r);

/*
 * When this returns, every sample taken before the call is in the files and in the counts. -EIO:
 * as recorder_stop(), since the last dump.
 */
int recorder_dump(struct recorder *r, struct op_error *e);
/*
 * The same for recorder_config.meanwhile, without waiting for symbols of JIT code and copies of
 * binaries, as that call does. -EBUSY: it waits for something else.
 */
int recorder_dump_samples(struct recorder *r, struct op_error *e);
/* Discard the session's samples, and continue with an empty session. */
int recorder_reset(struct recorder *r, struct op_error *e);
/* Save the session as @name, and continue with an empty one. -EINVAL, -EEXIST. */
int recorder_save(struct recorder *r, const char *name, struct op_error *e);

void recorder_close_files(struct recorder *r);	/* SIGHUP: opened again when next needed */
void recorder_write_counts(struct recorder *r);	/* every 10 s */
/* Every 600 s: sync files, in parts (true: call again soon); then log statistics. */
bool recorder_sync(struct recorder *r);
void recorder_log_statistics(struct recorder *r);

/* Since the recorder was opened, over all its sessions. */
const struct stats *recorder_stats(const struct recorder *r);
/* Of the session. Free @ret->cpu. */
void recorder_counts(struct recorder *r, struct session_counts *ret);
/* The event of @counter, or NULL if that is not in use. */
const struct sfile_event *recorder_event(const struct recorder *r, unsigned int counter);
/* For how long in this session @counter's event was enabled and counted. False: not known. */
bool recorder_event_time(const struct recorder *r, unsigned int counter, uint64_t *ret_enabled_ns,
			 uint64_t *ret_running_ns);
/*
 * Samples in the first second after the last start, of the CPU that had the most of them. False:
 * not known yet.
 */
bool recorder_rate(const struct recorder *r, uint64_t *ret_per_second);
/* Bytes of memory for the indexes of stack stores, which grow with them. */
uint64_t recorder_stacks_memory(const struct recorder *r);
/* What prevents samples or counts from being written now, or "". */
const char *recorder_trouble(const struct recorder *r);
/* A message for the user who starts sampling, once: malloc'd, or NULL. */
char *recorder_take_note(struct recorder *r);
const struct session_info *recorder_info(const struct recorder *r);

#endif
