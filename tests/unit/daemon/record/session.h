/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session.h - run a recorder on a fake collector in a temporary folder, and read its files */
#ifndef TESTS_UNIT_DAEMON_RECORD_SESSION_H
#define TESTS_UNIT_DAEMON_RECORD_SESSION_H

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include "daemon/record/recorder.h"
#include "libdb/odb/odb.h"
#include "libdb/session/header.h"
#include "libutil/log.h"
#include "libutil/strbuf.h"
#include "tests/fake_collector.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

static const char *const test_paths[] = {"/bin/app", "/lib/x.so",    "/bin/other",
					 NULL,	     "/lib/{dep}/x", "relative"};
enum { APP = 1, LIB, OTHER, UNKNOWN, UNNAMEABLE, RELATIVE };

static const struct sfile_event test_events[] = {{.name = "TIMER"},
						 {.name = "SECOND", .count = 500}};
static struct fake_collector fake;
static struct recorder_config test_config;

/* Make a folder, an empty collector, and a configuration to be changed before test_open(). */
static inline void test_prepare(void)
{
	static char modules[5000], kallsyms[5000];

	tmpdir_make();
	fake_collector_init(&fake, test_paths, ARRAY_SIZE(test_paths));
	snprintf(modules, sizeof(modules), "%s", tmpdir_path("modules"));
	snprintf(kallsyms, sizeof(kallsyms), "%s", tmpdir_path("kallsyms"));
	put_text(modules, "ext4 4096 0 - Live 0xffffffffc0010000\n");
	put_text(kallsyms, "ffffffff81000000 T _stext\nffffffff81002000 T _etext\n");
	log_open(tmpdir_path("log"), NULL);
	test_config = (struct recorder_config){
		.session_dir = tmpdir,
		.collector = &fake.collector,
		.cpu_type = "timer",
		.clock_khz = 1000000,
		.events = test_events,
		.nr_counters = 2,
		.nr_events = 2,
		.events_text = "TIMER:0:0:1:1",
		.proc = tmpdir_path("proc"),
		.call_arcs = true,
		.kernel = {.mode = KERNEL_NO_VMLINUX,
			   .proc_modules = modules,
			   .proc_kallsyms = kallsyms},
	};
}

static inline struct recorder *test_open(void)
{
	struct op_error e = { "" };
	struct recorder *r = NULL;
	int err = recorder_open(&test_config, &r, &e);

	if (err) {
		CHECK(false, "recorder_open: %s", e.text);
		exit(1);
	}
	return r;
}

static inline void test_drain(struct recorder *r)
{
	struct op_error e = { "" };

	CHECK(!recorder_drain(r, true, NULL, &e), "%s", e.text);
}

static inline void test_close(struct recorder *r)
{
	recorder_close(r);
	fake_collector_free(&fake);
	log_close();
}

static inline struct cpu_counts test_totals(struct recorder *r)
{
	struct session_counts c;
	struct cpu_counts all;

	recorder_counts(r, &c);
	session_counts_total(&c, &all);
	for (unsigned int i = 0; i < c.nr_cpus; i++)
		CHECK(c.cpu[i].received == cpu_counts_accounted(&c.cpu[i]),
		      "cpu %u: %" PRIu64 " received, %" PRIu64 " accounted for", i,
		      c.cpu[i].received, cpu_counts_accounted(&c.cpu[i]));
	free(c.cpu);
	return all;
}

/* Count the samples in the file @name of @session, and return those at @key; -1: no such file. */
static inline int64_t file_samples(const char *session, const char *name, uint64_t key,
				   uint64_t *ret_all)
{
	struct odb_snapshot s;
	struct op_error e = { "" };
	char path[9000];
	int64_t at_key = 0;
	int err;

	snprintf(path, sizeof(path), "%s/samples/%s/%s", tmpdir, session, name);
	*ret_all = 0;
	/* of a daemon that was killed one may have been made only */
	err = file_exists(path) ? odb_check(path, SAMPLE_HEADER_SIZE, &e) : 0;
	CHECK(!err || err == -ENODATA, "%s: %s", path, e.text);
	err = odb_read(path, SAMPLE_HEADER_SIZE, &s, &e);
	if (err)
		return -1;
	for (uint32_t i = 0; i < s.nr_nodes; i++) {
		*ret_all += s.nodes[i].count;
		if (s.nodes[i].key == key)
			at_key += s.nodes[i].count;
	}
	odb_snapshot_free(&s);
	return at_key;
}

#define CHECK_FILE(session, name, key, want, want_all)                                             \
	do {                                                                                       \
		uint64_t all_;                                                                     \
		int64_t got_ = file_samples(session, name, key, &all_);                            \
		CHECK(got_ == (want) && all_ == (uint64_t)(want_all),                              \
		      "%s: %" PRId64 " at the key (want %d), %" PRIu64 " in all (want %d)", name,  \
		      got_, (int)(want), all_, (int)(want_all));                                   \
	} while (0)

static inline void list_below(const char *dir, const char *prefix, struct strbuf *out)
{
	struct dirent **entries;
	int nr = scandir(dir, &entries, NULL, alphasort);

	for (int i = 0; i < nr; i++) {
		char path[9000], name[9000];
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name);
		snprintf(name, sizeof(name), "%s%s", prefix, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.' && strcmp(name, "stats") && !stat(path, &st)) {
			if (S_ISDIR(st.st_mode)) {
				strcat(name, "/");
				list_below(path, name, out);
			} else {
				strbuf_addf(out, "%s\n", name);
			}
		}
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
}

/* The session's sample files, one a line, sorted. */
static inline char *session_files(const char *session)
{
	struct strbuf out = STRBUF_INIT;
	char dir[9000];

	snprintf(dir, sizeof(dir), "%s/samples/%s", tmpdir, session);
	list_below(dir, "", &out);
	return strbuf_steal(&out);
}

#endif
