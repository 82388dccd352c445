// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report.c - what a report costs: opreport and opdiff on made sessions, the whole process
 *
 * The binaries are the machine's own, the first so many in its program and library folders;
 * the places in them are scattered over .text. CPU time (user and system) and wall time, medians
 * of RUNS runs. The rival's figures are OProfile 1.4's for sessions of the same shape, measured
 * on one machine in 2026 (doc/performance.md).
 */
#include <dirent.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "events/cpu/type.h"
#include "libdb/odb/odb.h"
#include "libdb/session/header.h"
#include "libdb/session/name.h"
#include "libdb/session/session.h"
#include "libdb/stack/store.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/message.h"
#include "libutil/xalloc.h"
#include "pp/binary/object_file.h"
#include "tests/bench/figures.h"

#define RUNS		7
#define MAX_IMAGES	200

struct place {
	char *path;
	uint64_t start, size;		/* of .text in the file */
};

static struct place images[MAX_IMAGES];
static size_t nr_images;
static char dir[] = "/tmp/bench-report-XXXXXX";

static void try_image(char *path)
{
	const struct object_section *text;
	struct object_file f;

	if (object_file_open(path, &f, NULL)) {
		free(path);
		return;
	}
	text = object_section_find(&f, ".text");
	if (text && text->type == SHT_PROGBITS && text->size > 4096)
		images[nr_images++] = (struct place){ path, text->offset, text->size };
	else
		free(path);
	object_file_close(&f);
}

static void find_images(const char *folder, size_t limit)
{
	struct dirent **entries;
	int nr = scandir(folder, &entries, NULL, alphasort);

	for (int i = 0; i < nr; i++) {
		char *path = path_join(folder, entries[i]->d_name), *real = realpath(path, NULL);

		if (real && !strcmp(real, path) && nr_images < limit)
			try_image(xstrdup(real));
		free(real);
		free(path);
		free(entries[i]);
	}
	if (nr > 0)
		free(entries);
}

static void make_file(const char *samples, const char *app, const struct place *image, size_t keys,
		      uint32_t count, size_t event)
{
	static const char *const events[] = { "CPU_CLK_UNHALTED", "INST_RETIRED", "LLC_MISSES" };
	struct sample_header header = { .version = SAMPLE_VERSION_1X, .cpu_mhz = 2000 };
	struct sample_name name = {
		.app = { .kind = IMAGE_FILE, .path = app },
		.image = { .kind = IMAGE_FILE, .path = image->path },
		.event = events[event], .count = 100000,
		.tgid = SAMPLE_ALL, .tid = SAMPLE_ALL, .cpu = SAMPLE_ALL,
	};
	struct strbuf relative = STRBUF_INIT;
	struct odb *db;
	char *path;

	header.cpu_type = cpu_type_by_name("i386/core_2")->number_1x;
	sample_name_format(&name, &relative);
	path = path_join(samples, relative.text);
	file_make_parent_dirs(path, 0700);
	if (odb_open(path, SAMPLE_HEADER_SIZE, &db, NULL))
		bug("cannot make %s", path);
	sample_header_store(&header, odb_header(db));
	for (size_t i = 0; i < keys; i++)
		if (odb_add(db, image->start + random_u64() % image->size,
			    1 + random_u64() % (2 * count - 1)))
			bug("cannot add to %s", path);
	odb_close(db);
	strbuf_free(&relative);
	free(path);
}

#define STACK_MAX	60

static uint32_t make_ids(struct stack_store *s, uint32_t *ids, uint32_t *ret_context)
{
	const struct stack_event cycles = { "CPU_CLK_UNHALTED", 100000, 0 };
	struct stack_context context = { 0, SAMPLE_ALL, SAMPLE_ALL, SAMPLE_ALL, "", "",
					   "" };
	uint32_t event = 0;
	int err = stack_store_event(s, &cycles, &event);

	for (size_t i = 0; i < nr_images && !err; i++) {
		const struct stack_image image = {
			{ .kind = IMAGE_FILE, .path = images[i].path }, "" };

		err = stack_store_image(s, &image, &ids[i]);
	}
	context.app = ids[0];
	if (err || stack_store_context(s, &context, ret_context))
		bug("cannot make a stack store");
	return event;
}

/*
 * Stacks of 20 to 60 frames all over the images. They leave what the one before had in common
 * at one frame in five: of 70,000 stacks a million nodes.
 */
static void make_stacks(const char *session_dir, size_t nr)
{
	char *path = session_stats_path(session_dir, SESSION_CURRENT, STACK_STORE_FILE);
	uint32_t ids[MAX_IMAGES], context, event;
	struct stack_frame frames[STACK_MAX];
	struct stack_store *s;

	file_make_parent_dirs(path, 0700);
	if (stack_store_open(path, 0, &s, NULL))
		bug("cannot make %s", path);
	event = make_ids(s, ids, &context);
	for (size_t i = 0; i < nr; i++) {
		size_t depth = 20 + random_u64() % (STACK_MAX - 20);
		uint64_t h = 0;

		for (size_t k = depth; k-- > 0;) {
			h = hash_mix(h, random_u64() % 5 ? 0 : random_u64() % 3);
			frames[k].image = ids[h % nr_images];
			frames[k].offset = images[h % nr_images].start +
					   (h >> 8) % images[h % nr_images].size;
		}
		if (stack_store_add(s, context, event, frames, depth, 0, 1))
			bug("cannot add to %s", path);
	}
	stack_store_close(s);
	free(path);
}

struct shape {
	const char *name;
	size_t nr_images, files, keys;	/* files: of all images; keys: of one file */
	uint32_t count;			/* samples of a key, on average */
	const char *words[2];		/* of the command line */
	bool compat;			/* the rows of the original: comparable with it */
	double rival;			/* CPU seconds, 0: none measured */
	const char *program;		/* NULL: opreport */
	size_t stacks;			/* of the session's stack store */
};

/* The program's time, and the wall's. */
static double run(const char *folder, const char *session, const struct shape *s,
		  double *ret_wall)
{
	const char *name = s->program ? s->program : "opreport";
	char *path = path_join(folder, name);
	double start = wall_seconds();
	struct rusage usage;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(126);
		setenv("OPROFILE_COMPAT", s->compat ? "1" : "0", 1);
		execl(path, name, session, s->words[0], s->words[1], NULL);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status))
		bug("%s failed", path);
	free(path);
	*ret_wall = wall_seconds() - start;
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static void measure(const struct shape *s, const char *folder)
{
	char *session_dir = path_join(dir, s->name);
	char *option = xasprintf("--session-dir=%s", session_dir);
	char *samples = session_samples_path(session_dir, SESSION_CURRENT);
	size_t nr = s->nr_images < nr_images ? s->nr_images : nr_images;
	double cpu[RUNS], wall[RUNS];

	for (size_t i = 0; i < s->files; i++)
		make_file(samples, images[(i / nr) % nr].path, &images[i % nr], s->keys, s->count,
			  0);
	if (s->stacks)
		make_stacks(session_dir, s->stacks);
	for (size_t i = 0; i < RUNS; i++)
		cpu[i] = run(folder, option, s, &wall[i]);
	if (s->rival)
		printf("bench %s_cpu %.3f s rival oprofile-1.4 %.2f\n", s->name,
		       median(cpu, RUNS), s->rival);
	else
		printf("bench %s_cpu %.3f s\n", s->name, median(cpu, RUNS));
	printf("bench %s_wall %.3f s\n", s->name, median(wall, RUNS));
	if (!getenv("KEEP_SESSIONS"))
		file_remove_tree(session_dir);
	free(samples);
	free(option);
	free(session_dir);
}

int main(void)
{
	static const struct shape shapes[] = {
		{ "report_1000_files", 20, 1000, 500, 2, { "-l" }, true, 0.37, NULL, 0 },
		{ "report_1000_files_all_symbols", 20, 1000, 500, 2, { "-l" }, false, 0, NULL, 0 },
		{ "report_1000_files_merged", 20, 1000, 500, 2, { "-l", "--merge-unnamed" }, false,
		  0, NULL, 0 },
		{ "diff_1000_files", 20, 1000, 500, 2, { "current", "current" }, false, 0,
		  "opdiff", 0 },
		{ "report_million_samples", 200, 200, 2500, 2, { "-l" }, false, 0, NULL, 0 },
		{ "report_162_files", 81, 162, 311, 20, { "-l" }, true, 0.07, NULL, 0 },
		{ "report_summary_1000_files", 20, 1000, 500, 2, { "-n" }, true, 0.03, NULL, 0 },
		{ "report_details", 20, 20, 5000, 2, { "-d" }, true, 0.27, NULL, 0 },
		{ "report_stacks", 20, 20, 500, 2, { "--stacks" }, false, 0, NULL, 70000 },
		{ "report_stacks_callees", 20, 20, 500, 2, { "--stacks=callees" }, false, 0, NULL,
		  70000 },
	};
	char *self = path_program_dir(), *folder = xasprintf("%s/../bin", self);

	if (!mkdtemp(dir))
		bug("cannot make a folder in /tmp");
	find_images("/usr/lib/x86_64-linux-gnu", 120);
	find_images("/usr/lib64", 120);
	find_images("/usr/bin", MAX_IMAGES);
	for (size_t i = 0; nr_images && i < sizeof(shapes) / sizeof(shapes[0]); i++)
		measure(&shapes[i], folder);
	if (!getenv("KEEP_SESSIONS"))
		file_remove_tree(dir);
	for (size_t i = 0; i < nr_images; i++)
		free(images[i].path);
	free(folder);
	free(self);
	return 0;
}
