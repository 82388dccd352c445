/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - where things lie below a session directory, and what is kept beside the samples
 *
 *   SD/lock  SD/abi  SD/control  SD/samples/oprofiled.log
 *   SD/samples/NAME/{root}|{kern}...     sample files; NAME is "current" or a saved one
 *   SD/samples/NAME/stats/session        who, when, how (session_info)
 *   SD/samples/NAME/stats/counts         samples received, recorded, lost (session_counts)
 *   SD/samples/NAME/stats/event-times    for how long events were counted (event_times.h)
 *   SD/samples/NAME/stats/kernel-symbols the kernel's symbols at that time (kernel_symbols.h)
 *   SD/samples/NAME/stats/images         build-ids of the images (image_ids)
 *   SD/samples/NAME/stats/parts/N/...    apart by more than names tell (parts.h)
 *   SD/samples/NAME/stats/binaries/ID    copies of binaries that the host has not
 *   SD/samples/NAME/stats/vdso.so        the kernel's code in every process
 *   SD/samples/NAME/stats/stacks         call stacks (libdb/stack/store.h)
 *   SD/samples/NAME/stats/cpuN/...       copies of the module's statistics, for OProfile's opreport
 *
 * The original tools skip "stats", so all that the sample file has no room for lives there.
 * doc/session.md has the formats.
 */
#ifndef LIBDB_SESSION_SESSION_H
#define LIBDB_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

#define SESSION_DIR_DEFAULT	"/var/lib/oprofile"
#define SESSION_CURRENT		"current"
#define SESSION_INFO_FILE	"session"	/* below stats/ */
#define SESSION_COUNTS_FILE	"counts"
#define SESSION_BINARIES	"binaries"	/* BUILD-ID: copies of binaries [SS-65] */
#define SESSION_VDSO_FILE	"vdso.so"	/* [SS-66] */
#define SESSION_VDSO_NAME	"[vdso]"	/* of its mapping */

/* Malloc'd paths below @session_dir; @name is a saved session's or SESSION_CURRENT. @file may
 * be NULL: the stats folder itself. */
char *session_samples_path(const char *session_dir, const char *name);
char *session_stats_path(const char *session_dir, const char *name, const char *file);
char *session_lock_path(const char *session_dir);
char *session_log_path(const char *session_dir);
char *session_control_path(const char *session_dir);

/* SD/abi: the layout of sample files of @sample_version on this machine. [SF-40] */
int session_abi_write(const char *session_dir, uint32_t sample_version);

/* A name fit for --save= and session:  letters, digits, . _ - +, not starting with a dot,
 * at most 200 bytes. */
bool session_name_ok(const char *name);

/*
 * While a session is written to: room for its stats/session and stats/counts on the disk, so that
 * what was lost on a full one can be told. [SS-5]
 */
int session_reserve(const char *stats_dir, unsigned int nr_cpus);
void session_give_up_reserve(const char *stats_dir);

/* Text file of "key value" lines; unknown keys are skipped, missing ones are 0 or "". */
struct session_info {
	char collector[16];		/* "module" or "perf" */
	char model[32];			/* what made the samples: "timer", "intel", "perf" */
	char cpu_type[48];		/* OProfile's name of it: "timer" */
	uint64_t clock_khz;		/* nominal CPU clock */
	uint64_t period_ns;		/* timers: between two samples of a CPU; else 0 */
	char events[4096];		/* as asked for: "CPU_CLK_UNHALTED:100000:0:1:1 ..." */
	uint64_t start_time, end_time;	/* Unix seconds; end 0: running, or killed */
	char host[128], kernel[128], machine[32];
	char kernel_build_id[72];	/* hex, or "" */
	char kernel_symbols[16];	/* "kallsyms", "hidden", "vmlinux", "none" [SS-10] */
	char vmlinux[512];		/* path given with --vmlinux=, or "" */
	char separate[64];		/* "none", "lib", "lib kernel thread cpu", ... */
	char profiled[1024];		/* "ls -l", "process 12"; "": the whole machine */
};

int session_info_write(const char *stats_dir, const struct session_info *info);
/* -ENOENT: not one of ours. */
int session_info_read(const char *stats_dir, struct session_info *ret);
int session_info_read_e(const char *stats_dir, struct session_info *ret, struct op_error *e);

/* Parse @text (writable, ends in a NUL), spoiling it. -EPROTO with "@name:line: why" in @e. */
int session_info_parse(char *text, size_t len, const char *name, struct session_info *ret,
		       struct op_error *e);

/* Why a received sample was not recorded. Names: loss_name(). One list from kernel to report. */
enum loss_reason {
	LOST_CPU_BUFFER,	/* module: per-CPU buffer full */
	LOST_EVENT_BUFFER,	/* module: event buffer full, the daemon was too slow */
	LOST_RING,		/* perf: ring full */
	LOST_NO_MM,		/* user sample of a task whose memory map could not be had */
	LOST_NO_MAPPING,	/* user pc in no mapping */
	LOST_INVALID_PC,	/* pc equal to the escape value */
	LOST_NO_MODE,		/* neither kernel nor user was announced */
	LOST_KERNEL_RANGE,	/* kernel pc in no known kernel image (only with --vmlinux) */
	LOST_UNKNOWN_IMAGE,	/* cookie could not be resolved to a file */
	LOST_NO_APP,		/* OProfile's label; ours are filed under the kernel instead */
	LOST_SAMPLE_FILE,	/* sample file could not be opened or grown */
	LOST_STREAM,		/* word stream could not be understood there */
	LOST_UNREAD,		/* left in the collector when it could not be read any more */
	/* of libsampler, doc/sampler.md */
	LOST_THREAD_BLOCKED,	/* the thread blocked the signal, or did not run in time */
	LOST_THREAD_GONE,	/* the thread had ended */
	LOST_THREAD_REFUSED,	/* the system refused, or no frame was found */
	LOST_SAMPLER_MEMORY,	/* no room for more kinds of stacks */
	LOST_SAMPLER_LATE,	/* times for samples that passed: the sampling thread was late */
	NR_LOSS_REASONS
};

const char *loss_name(enum loss_reason reason);		/* "cpu_buffer_overflow", ... */
const char *loss_text(enum loss_reason reason);		/* half a sentence for people */

#define COUNTS_MAX_CPUS	1024

/* Kinds of ends of stacks that are told apart: enum op_stack_end, [EB-44]. */
#define COUNTS_STACK_ENDS 9

/* "complete", "truncated", ...; NULL for numbers from COUNTS_STACK_ENDS on. */
const char *counts_stack_end_name(unsigned int end);
const char *counts_stack_end_text(unsigned int end);	/* for people, behind "N % " */

struct cpu_counts {
	uint64_t received;		/* samples the interrupt or the ring delivered */
	uint64_t recorded;		/* now in sample files */
	uint64_t extended;		/* of these, in files of derived events only [SS-23] */
	uint64_t lost[NR_LOSS_REASONS];
	uint64_t throttled;		/* interrupts skipped to keep it usable; not received */
	uint64_t filtered;		/* left out on request (--image=): recorded nowhere */

	/* Stacks, of samples that are in recorded; all 0 without --callgraph. [SS-25] */
	uint64_t stacks[COUNTS_STACK_ENDS];	/* by how they ended */
	uint64_t stacks_guessed;	/* of these, with frames by frame pointers [EB-44] */
	uint64_t stacks_lost;		/* of these, not in stats/stacks */
	uint64_t arcs_lost;		/* calls that are in no {cg} file */

	/* Processes, of no CPU: all are CPU 0's. [SS-26] */
	uint64_t jit_refused;		/* with a file about code they made that was not taken */
	uint64_t jit_damaged;		/* whose files could not be read whole */
};

/* received = recorded + filtered + sum of lost, for each CPU and so in all. */
struct session_counts {
	unsigned int nr_cpus;
	struct cpu_counts *cpu;		/* @nr_cpus, the owner's to free() */
};

int session_counts_write(const char *stats_dir, const struct session_counts *counts);
/* The caller frees ret->cpu. */
int session_counts_read(const char *stats_dir, struct session_counts *ret);
int session_counts_read_e(const char *stats_dir, struct session_counts *ret, struct op_error *e);
int session_counts_parse(char *text, size_t len, const char *name, struct session_counts *ret,
			 struct op_error *e);	/* as session_info_parse() */
/* @a += @b, and @a -= @b, each number; a difference stops at 0. */
void cpu_counts_add(struct cpu_counts *a, const struct cpu_counts *b);
void cpu_counts_subtract(struct cpu_counts *a, const struct cpu_counts *b);
void session_counts_total(const struct session_counts *counts, struct cpu_counts *ret);
/* recorded + filtered + lost */
uint64_t cpu_counts_accounted(const struct cpu_counts *c);

/* At least @nr_cpus; new ones are 0. */
void session_counts_reserve(struct session_counts *c, unsigned int nr_cpus);
/* The same for all CPUs; @a grows as needed. */
void session_counts_add(struct session_counts *a, const struct session_counts *b);
void session_counts_subtract(struct session_counts *a, const struct session_counts *b);
void session_counts_free(struct session_counts *c);

#endif
