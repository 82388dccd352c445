/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - the files below a session directory, and the records kept beside the samples
 *
 *   SD/lock  SD/abi  SD/samples/oprofiled.log
 *   SD/control, of SESSION_DIR_DEFAULT /run/oprofile/control: the socket
 *   SD/samples/NAME/{root}|{kern}...     sample files; NAME is "current" or a saved one
 *   SD/samples/NAME/stats/session        who, when, how (session_info)
 *   SD/samples/NAME/stats/counts         samples received, recorded, lost (session_counts)
 *   SD/samples/NAME/stats/event-times    how long each event was counted (event_times.h)
 *   SD/samples/NAME/stats/kernel-symbols the kernel's symbols at that time (kernel_symbols.h)
 *   SD/samples/NAME/stats/images         build IDs of the images (image_ids.h)
 *   SD/samples/NAME/stats/processes      what tasks are called (processes.h)
 *   SD/samples/NAME/stats/parts/N/...    sample files separated by more than names hold (parts.h)
 *   SD/samples/NAME/stats/binaries/ID    copies of binaries that are not on the host
 *   SD/samples/NAME/stats/vdso.so        the kernel's code in every process
 *   SD/samples/NAME/stats/stacks         call stacks (libdb/stack/store.h)
 *   SD/samples/NAME/stats/cpuN/...       copies of the module's statistics, for OProfile's opreport
 *
 * The original tools skip "stats", so everything that a sample file has no field for is kept
 * there. doc/session.md has the formats.
 */
#ifndef LIBDB_SESSION_SESSION_H
#define LIBDB_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

#define SESSION_GROUP		"oprofile"	/* may read the samples of root's daemon */
/* To the daemon, whose command line everybody can read: START,END of the kernel's text, in hex. */
#define KERNEL_RANGE_VARIABLE	"OPROFILE_KERNEL_RANGE"
/* rules.mk has the folders */
#define SESSION_DIR_DEFAULT	OP_LOCALSTATEDIR "/lib/oprofile"
#define SESSION_RUN_DIR		OP_RUNSTATEDIR "/oprofile"
#define SESSION_CURRENT		"current"
#define SESSION_INFO_FILE	"session"	/* below stats/ */
#define SESSION_COUNTS_FILE	"counts"
#define SESSION_BINARIES	"binaries"	/* folder; copies are called by build ID [SS-65] */
#define SESSION_VDSO_FILE	"vdso.so"	/* [SS-66] */
#define SESSION_ARCS_OF_STACKS	"stacks"	/* session_info.call_arcs */
#define SESSION_VDSO_NAME	"[vdso]"	/* of its mapping */

/*
 * Malloc'd paths below @session_dir. @name is a saved session's or SESSION_CURRENT; @file may be
 * NULL for the stats folder itself.
 */
char *session_samples_path(const char *session_dir, const char *name);
char *session_stats_path(const char *session_dir, const char *name, const char *file);
char *session_lock_path(const char *session_dir);
char *session_log_path(const char *session_dir);
char *session_control_path(const char *session_dir);

/*
 * Let only the owner and SESSION_GROUP read SD/samples and SD/history, which have addresses of all
 * processes, or with @world_readable everybody; new files get the group from their folder. A folder
 * of another user stays as it is. [SS-6]
 */
int session_set_rights(const char *session_dir, bool world_readable);

/* SD/abi: the layout of sample files of @sample_version on this machine. [SF-40] */
int session_abi_write(const char *session_dir, uint32_t sample_version);

/*
 * Whether @name is valid for --save= and session: letters, digits and . _ - +, not starting with a
 * dot, at most 200 bytes.
 */
bool session_name_ok(const char *name);

/*
 * Reserve room on the disk for stats/session and stats/counts while a session is written, so that
 * losses on a full disk can be recorded. [SS-5]
 */
int session_reserve(const char *stats_dir, unsigned int nr_cpus);
void session_give_up_reserve(const char *stats_dir);

/* A text file of "key value" lines; unknown keys are skipped, missing ones are 0 or "". */
struct session_info {
	char collector[16];		/* "module", "perf", THREAD_SAMPLE_COLLECTOR, "import" */
	char model[32];			/* the source of samples: "timer", "intel", "perf" */
	char cpu_type[48];		/* OProfile's name: "timer" */
	uint64_t clock_khz;		/* nominal CPU clock */
	uint64_t period_ns;		/* of timers: between two samples of a CPU; else 0 */
	char events[4096];		/* as sampled: "CPU_CLK_UNHALTED:100000:0:1:1 ..." */
	uint64_t start_time, end_time;	/* Unix seconds; end 0: still running, or killed */
	char host[128], kernel[128], machine[32];
	char kernel_build_id[72];	/* hex, or "" */
	char kernel_symbols[16];	/* "kallsyms", "hidden", "vmlinux", "none" [SS-10] */
	char vmlinux[512];		/* argument of --vmlinux=, or "" */
	char separate[64];		/* "none", "lib", "lib kernel thread cpu", ... */
	/*
	 * "stacks": call arcs are those of the stacks in stats/stacks, and there are no {cg} files;
	 * "": they are in {cg} files. [SS-10]
	 */
	char call_arcs[16];
	char profiled[1024];		/* "ls -l", "process 12 (cat)", "a.pb.gz (pprof)";
					   "": the whole machine */
};

/* Fill in host, kernel, machine and kernel_build_id. */
void session_info_set_machine(struct session_info *info);
int session_info_write(const char *stats_dir, const struct session_info *info);
/* -ENOENT: not a session of ours. */
int session_info_read(const char *stats_dir, struct session_info *ret);
int session_info_read_e(const char *stats_dir, struct session_info *ret, struct op_error *e);

/* Parse @text (writable, ends in a NUL), overwriting it. -EPROTO with "@name:line: why" in @e. */
int session_info_parse(char *text, size_t len, const char *name, struct session_info *ret,
		       struct op_error *e);

/* Why a received sample was not recorded: one list from the kernel to reports. */
enum loss_reason {
	LOST_CPU_BUFFER,	/* module: per-CPU buffer full */
	LOST_EVENT_BUFFER,	/* module: event buffer full, the daemon was too slow */
	LOST_RING,		/* perf: ring full */
	LOST_NO_MM,		/* user sample of a task whose memory map was not available */
	LOST_NO_MAPPING,	/* user pc outside all mappings */
	LOST_INVALID_PC,	/* pc equal to the escape value */
	LOST_NO_MODE,		/* neither kernel nor user mode was announced */
	LOST_KERNEL_RANGE,	/* kernel pc outside known kernel images (only with --vmlinux) */
	LOST_UNKNOWN_IMAGE,	/* cookie could not be resolved to a file */
	LOST_NO_APP,		/* OProfile's label; we file these samples under the kernel */
	LOST_SAMPLE_FILE,	/* sample file could not be opened or extended */
	LOST_STREAM,		/* malformed word stream */
	LOST_UNREAD,		/* left in the collector when reading it failed for good */
	LOST_STALE_MAPPINGS,	/* perf: the task's mappings were uncertain at that time */
	LOST_LIMIT,		/* a process or the session had too many mappings or files */
	LOST_IN_BPF,		/* perf: the sample interrupted another BPF program */
	/* of libsampler, doc/sampler.md */
	LOST_THREAD_BLOCKED,	/* the thread blocked the signal */
	LOST_THREAD_NOT_RUN,	/* the thread did not run in time */
	LOST_THREAD_GONE,	/* the thread had exited */
	LOST_THREAD_REFUSED,	/* the system refused, or no frame was found */
	LOST_SAMPLER_MEMORY,	/* too many distinct stacks */
	LOST_SAMPLER_LATE,	/* sampling times that passed: the sampling thread was late */
	NR_LOSS_REASONS
};

const char *loss_name(enum loss_reason reason);		/* in files: "cpu_buffer_overflow", ... */
const char *loss_text(enum loss_reason reason);		/* a clause for people */

/*
 * What to do if more than one in LOSS_SHARE of @received samples was lost because what collects
 * them did not run in time; else NULL. @lost: by reason.
 */
#define LOSS_SHARE	10000
const char *losses_advice(const uint64_t *lost, uint64_t received);

#define COUNTS_MAX_CPUS	1024

/* Kinds of ends of stacks: enum op_stack_end, [EB-44]. */
#define COUNTS_STACK_ENDS 9

/* "complete", "truncated", ...; NULL for numbers from COUNTS_STACK_ENDS on. */
const char *counts_stack_end_name(unsigned int end);
const char *counts_stack_end_text(unsigned int end);	/* for people, after "N % " */

struct cpu_counts {
	uint64_t received;		/* samples the interrupt or the ring delivered */
	uint64_t recorded;		/* now in sample files */
	uint64_t extended;		/* of these, only in files of derived events [SS-23] */
	uint64_t lost[NR_LOSS_REASONS];
	uint64_t throttled;		/* skipped interrupts, not received */
	uint64_t filtered;		/* left out on request (--image=), not recorded */
	uint64_t idle;			/* of the idle task, left out without --idle */
	uint64_t disturbed;		/* of the received: while KVM guests used the counters */
	uint64_t event_errors;		/* seconds in which an event had no counter */

	/* Stacks of recorded samples; all 0 without --callgraph. [SS-25] */
	uint64_t stacks[COUNTS_STACK_ENDS];	/* by how they ended */
	uint64_t stacks_guessed;	/* of these, with frames by frame pointers [EB-44] */
	uint64_t stacks_interpreter;	/* with an interpreter's C functions instead [IN-15] */
	uint64_t stacks_lost;		/* of these, not in stats/stacks */
	uint64_t arcs_lost;		/* calls that are not in a {cg} file */

	/* Processes, which have no CPU: counted for CPU 0. [SS-26] */
	uint64_t jit_refused;		/* with an ignored file of JIT symbols */
	uint64_t jit_damaged;		/* with a damaged file of JIT symbols */
};

/* received = recorded + filtered + idle + sum of lost, for each CPU and in total. */
struct session_counts {
	unsigned int nr_cpus;
	struct cpu_counts *cpu;		/* @nr_cpus, malloc'd */
};

int session_counts_write(const char *stats_dir, const struct session_counts *counts);
/* The caller frees ret->cpu. */
int session_counts_read(const char *stats_dir, struct session_counts *ret);
int session_counts_read_e(const char *stats_dir, struct session_counts *ret, struct op_error *e);
int session_counts_parse(char *text, size_t len, const char *name, struct session_counts *ret,
			 struct op_error *e);	/* as session_info_parse() */
/* @a += @b and @a -= @b, for each number; differences saturate at 0. */
void cpu_counts_add(struct cpu_counts *a, const struct cpu_counts *b);
void cpu_counts_subtract(struct cpu_counts *a, const struct cpu_counts *b);
void session_counts_total(const struct session_counts *counts, struct cpu_counts *ret);
/* recorded + filtered + idle + lost */
uint64_t cpu_counts_accounted(const struct cpu_counts *c);

/* Have at least @nr_cpus CPUs; new ones are 0. */
void session_counts_reserve(struct session_counts *c, unsigned int nr_cpus);
/* Add or subtract for all CPUs; @a grows as needed. */
void session_counts_add(struct session_counts *a, const struct session_counts *b);
void session_counts_subtract(struct session_counts *a, const struct session_counts *b);
void session_counts_free(struct session_counts *c);

#endif
