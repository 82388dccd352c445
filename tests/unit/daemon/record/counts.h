/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counts.h - compare the samples in a session's files with its counts */
#ifndef TESTS_UNIT_DAEMON_RECORD_COUNTS_H
#define TESTS_UNIT_DAEMON_RECORD_COUNTS_H

#include "tests/unit/daemon/record/session.h"

/*
 * The number of samples in the files of @session, as a report reads them: a file whose writer was
 * killed is repaired by the next one only. [SF-17]
 */
static inline uint64_t samples_in(const char *session)
{
	char *files = session_files(session), *name, *rest, path[9000];
	uint64_t sum = 0;

	for (name = strtok_r(files, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest)) {
		struct odb_snapshot s;
		struct op_error e = { "" };
		int err;

		snprintf(path, sizeof(path), "%s/samples/%s/%s", tmpdir, session, name);
		err = odb_read(path, SAMPLE_HEADER_SIZE, &s, &e);
		CHECK(!err || err == -ENODATA, "%s", e.text);
		for (uint32_t i = 0; !err && i < s.nr_nodes; i++)
			sum += s.nodes[i].count;
		if (!err)
			odb_snapshot_free(&s);
	}
	free(files);
	return sum;
}

/* The sums of stats/counts; the counts of each CPU must balance. */
static inline struct cpu_counts counts_of(const char *session)
{
	char *dir = session_stats_path(tmpdir, session, NULL);
	struct session_counts c = { 0, NULL };
	struct cpu_counts all;
	int err = session_counts_read(dir, &c);

	CHECK(!err || err == -ENOENT, "counts: %s", strerror(-err));
	for (unsigned int i = 0; i < c.nr_cpus; i++)
		CHECK(c.cpu[i].received == cpu_counts_accounted(&c.cpu[i]),
		      "cpu %u of '%s': received %" PRIu64 ", accounted for %" PRIu64, i, session,
		      c.cpu[i].received, cpu_counts_accounted(&c.cpu[i]));
	session_counts_total(&c, &all);
	free(c.cpu);
	free(dir);
	return all;
}

static inline void check_agree(const char *session)
{
	uint64_t files = samples_in(session), counts = counts_of(session).recorded;

	CHECK(files == counts, "'%s': %" PRIu64 " samples in files, %" PRIu64 " recorded", session,
	      files, counts);
}

#endif
