/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * play.h - attacks of an unprivileged user on root's daemon with the perf collector
 *
 * Each shows that the daemon answers while the attack goes on, and that samples of other users'
 * processes are recorded and none of any is lost.
 */
#ifndef TESTS_UNIT_DAEMON_HOSTILE_PLAY_H
#define TESTS_UNIT_DAEMON_HOSTILE_PLAY_H

#include "libdb/session/session.h"
#include "tests/unit/daemon/attacker.h"
#include "tests/unit/daemon/program.h"

static inline void start_daemon(void)
{
	need_perf();
	tmpdir_make();
	make_attackers_dir();
	CHECK(!start(tmpdir_path("sd")), "%s", output);
}

static inline struct cpu_counts counts(void)
{
	char *stats = session_stats_path(tmpdir_path("sd"), SESSION_CURRENT, NULL);
	struct cpu_counts total = { 0 };
	struct session_counts c;

	CHECK(!session_counts_read(stats, &c), "counts");
	session_counts_total(&c, &total);
	session_counts_free(&c);
	free(stats);
	return total;
}

/*
 * Of what an attack can cause. Processes of the machine that end meanwhile may lose others, and so
 * may the attackers of tests beside this one, which are over their limits.
 */
static inline void check_nothing_lost(void)
{
	static const enum loss_reason reasons[] = { LOST_RING, LOST_UNKNOWN_IMAGE, LOST_SAMPLE_FILE,
						    LOST_STREAM, LOST_UNREAD };
	struct cpu_counts c = counts();

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		CHECK(!c.lost[reasons[i]], "%llu samples lost: %s",
		      (unsigned long long)c.lost[reasons[i]], loss_text(reasons[i]));
	CHECK(c.recorded, "no samples");
}

/* Below the session's folder @part, "" or with a slash at its end. */
static inline bool has_samples_in(const char *part, const char *image)
{
	char *path = xasprintf("%s/sd/samples/current/%s{root}%s", tmpdir, part, image);
	bool has = file_is_dir(path);

	free(path);
	return has;
}

static inline bool has_samples_of(const char *image)
{
	return has_samples_in("", image);
}

/* Other images of the machine may have taken the first parts. */
static inline bool has_samples_apart(const char *image)
{
	char part[40];
	bool has = false;

	for (unsigned int i = 0; i < 100 && !has; i++) {
		snprintf(part, sizeof(part), "stats/parts/%u/", i);
		has = has_samples_in(part, image);
	}
	return has;
}

static inline void sample_it(pid_t pid)
{
	CHECK(!ask("start"), "start");
	let_be_sampled(pid);
	CHECK(!ask("dump"), "dump");
}

static inline bool nothing_to_prepare(void)
{
	return true;
}

#endif
