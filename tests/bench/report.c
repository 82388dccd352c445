// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report.c - what a report costs: opreport and opdiff on made sessions, the whole process
 *
 * The binaries are the machine's own, the first so many in its program and library folders;
 * the places in them are scattered over .text. CPU time (user and system) and wall time, medians
 * of RUNS (7) runs. The rival's figures are OProfile 1.4's for sessions of the same shape, measured
 * on one machine in 2026 (doc/performance.md).
 */
#include <dirent.h>
#include <elf.h>
#include <inttypes.h>
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

#define MAX_RUNS	99
#define MAX_IMAGES	200

struct place {
	char *path;
	uint64_t start, size;		/* of .text in the file */
};

static size_t runs = 7;
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

static struct odb *open_samples(const char *samples, const char *app, struct image_name image,
				size_t event)
{
	static const char *const events[] = { "CPU_CLK_UNHALTED", "INST_RETIRED", "LLC_MISSES" };
	struct sample_header header = { .version = SAMPLE_VERSION_1X, .cpu_mhz = 2000,
					.is_kernel = image.kind == IMAGE_KERNEL };
	struct sample_name name = {
		.app = { .kind = IMAGE_FILE, .path = app },
		.image = image,
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
	strbuf_free(&relative);
	free(path);
	return db;
}

static void add_samples(struct odb *db, uint64_t key, uint32_t count)
{
	if (odb_add(db, key, count))
		bug("cannot add to a sample file");
}

static void make_file(const char *samples, const char *app, const struct place *image, size_t keys,
		      uint32_t count, size_t event)
{
	struct odb *db = open_samples(samples, app, (struct image_name){
		.kind = IMAGE_FILE, .path = image->path }, event);

	for (size_t i = 0; i < keys; i++)
		add_samples(db, image->start + random_u64() % image->size,
			    1 + (uint32_t)(random_u64() % (2 * count - 1)));
	odb_close(db);
}

#define STACK_MAX	60
#define KERNEL_START	UINT64_C(0xffffffff81000000)
#define KERNEL_SYMBOLS	130000		/* 5 MB of text */
#define KERNEL_SPACING	128		/* bytes of a function */
#define SITES		2000		/* places of an image in wide trees */
#define WIDE_IMAGES	20

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
	if (!err)
		err = stack_store_image(s, &(struct stack_image){
			{ .kind = IMAGE_KERNEL, .path = "kallsyms" }, "" }, &ids[nr_images]);
	context.app = ids[0];
	if (err || stack_store_context(s, &context, ret_context))
		bug("cannot make a stack store");
	return event;
}

static void make_kernel(const char *session_dir)
{
	char *path = session_stats_path(session_dir, SESSION_CURRENT, "kernel-symbols");
	FILE *out;

	file_make_parent_dirs(path, 0700);
	out = fopen(path, "w");
	if (!out)
		bug("cannot make %s", path);
	fprintf(out, "# kernel %" PRIx64 " %" PRIx64 "\n", KERNEL_START,
		KERNEL_START + KERNEL_SYMBOLS * KERNEL_SPACING);
	for (unsigned int i = 0; i < KERNEL_SYMBOLS; i++)
		fprintf(out, "%" PRIx64 " t kernel_function_%u\n",
			KERNEL_START + i * KERNEL_SPACING, i);
	fclose(out);
	free(path);
}

/* Samples of each place in wide trees; the kernel follows the images. */
static uint32_t leaves[WIDE_IMAGES + 1][SITES];

static uint64_t site_offset(size_t image, uint64_t site)
{
	return image == nr_images ? KERNEL_START + site * (KERNEL_SYMBOLS * KERNEL_SPACING / SITES)
				  : images[image].start + site * (images[image].size / SITES);
}

/*
 * A place that @h decides: anywhere in the images, or if @is_wide one of so many as real programs
 * call from, of the inner frames some in the kernel.
 */
static struct stack_frame frame_of(uint64_t h, const uint32_t *ids, bool is_wide, size_t depth)
{
	size_t image = is_wide && depth < 8 && h >> 60 < 4 ? nr_images : h % nr_images;
	uint64_t site = (h >> 8) % SITES;

	if (!is_wide)
		return (struct stack_frame){ ids[image], images[image].start +
					     (h >> 8) % images[image].size };
	if (!depth)
		leaves[image][site]++;
	return (struct stack_frame){ ids[image], site_offset(image, site) };
}

/*
 * Stacks of 20 to 60 frames all over the images. They leave what the one before had in common
 * at one frame in five: of 70,000 stacks a million nodes.
 */
static void make_stacks(const char *session_dir, size_t nr, bool is_wide)
{
	char *path = session_stats_path(session_dir, SESSION_CURRENT, STACK_STORE_FILE);
	uint32_t ids[MAX_IMAGES + 1], context, event;
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
			frames[k] = frame_of(h, ids, is_wide, k);
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

/* What a process needs. */
struct cost {
	double cpu, wall;		/* seconds */
	double memory;			/* MB at most */
};

static struct cost run(const char *folder, bool compat, const char *const *argv)
{
	char *path = path_join(folder, argv[0]);
	double start = wall_seconds();
	struct rusage usage;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (chdir(dir) || !freopen("/dev/null", "w", stdout) ||
		    !freopen("/dev/null", "w", stderr))
			_exit(126);
		setenv("OPROFILE_COMPAT", compat ? "1" : "0", 1);
		execv(path, (char *const *)argv);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status))
		bug("%s failed", path);
	free(path);
	return (struct cost){
		(double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			(double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6,
		wall_seconds() - start,
		(double)usage.ru_maxrss / 1024,
	};
}

static void measure(const struct shape *s, const char *folder)
{
	char *session_dir = path_join(dir, s->name);
	char *option = xasprintf("--session-dir=%s", session_dir);
	char *samples = session_samples_path(session_dir, SESSION_CURRENT);
	size_t nr = s->nr_images < nr_images ? s->nr_images : nr_images;
	double cpu[MAX_RUNS], wall[MAX_RUNS];

	for (size_t i = 0; i < s->files; i++)
		make_file(samples, images[(i / nr) % nr].path, &images[i % nr], s->keys, s->count,
			  0);
	if (s->stacks)
		make_stacks(session_dir, s->stacks, false);
	for (size_t i = 0; i < runs; i++) {
		const char *const argv[] = { s->program ? s->program : "opreport", option,
					     s->words[0], s->words[1], NULL };
		struct cost cost = run(folder, s->compat, argv);

		cpu[i] = cost.cpu;
		wall[i] = cost.wall;
	}
	if (s->rival)
		printf("bench %s_cpu %.3f s rival oprofile-1.4 %.2f\n", s->name,
		       median(cpu, runs), s->rival);
	else
		printf("bench %s_cpu %.3f s\n", s->name, median(cpu, runs));
	printf("bench %s_wall %.3f s\n", s->name, median(wall, runs));
	if (!getenv("KEEP_SESSIONS"))
		file_remove_tree(session_dir);
	free(samples);
	free(option);
	free(session_dir);
}

/* The sample files of the stacks that make_stacks() made. */
static void make_leaves(const char *samples)
{
	for (size_t i = 0; i <= nr_images; i++) {
		const struct image_name name = {
			.kind = i == nr_images ? IMAGE_KERNEL : IMAGE_FILE,
			.path = i == nr_images ? "kallsyms" : images[i].path,
		};
		struct odb *db = open_samples(samples, images[0].path, name, 0);

		for (size_t site = 0; site < SITES; site++)
			if (leaves[i][site])
				add_samples(db, site_offset(i, site), leaves[i][site]);
		odb_close(db);
	}
}

/* What shows wide trees: whole stacks of 20 images and a kernel, in about 14 nodes each. */
static void measure_wide(size_t nr_stacks, const char *folder)
{
	static const struct {
		const char *name, *words[2];
	} commands[] = {
		{ "stacks", { "opreport", "--stacks" } },
		{ "folded", { "opreport", "--stacks=folded" } },
		{ "callees", { "opreport", "--stacks=callees" } },
		{ "flamegraph", { "opreport", "--flamegraph=picture.svg" } },
		{ "html", { "opreport", "--html=picture.html" } },
		{ "pprof", { "opexport", "--to=pprof" } },
	};
	char *session_dir = xasprintf("%s/%zu", dir, nr_stacks);
	char *option = xasprintf("--session-dir=%s", session_dir);
	char *samples = session_samples_path(session_dir, SESSION_CURRENT);
	size_t all = nr_images;

	nr_images = nr_images < WIDE_IMAGES ? nr_images : WIDE_IMAGES;
	memset(leaves, 0, sizeof(leaves));
	make_stacks(session_dir, nr_stacks, true);
	make_leaves(samples);
	make_kernel(session_dir);
	for (size_t k = 0; k < sizeof(commands) / sizeof(commands[0]); k++) {
		const char *const *words = commands[k].words;
		const char *const argv[] = { words[0], option, words[1], NULL };
		double cpu[MAX_RUNS], memory[MAX_RUNS];

		for (size_t i = 0; i < runs; i++) {
			struct cost cost = run(folder, false, argv);

			cpu[i] = cost.cpu;
			memory[i] = cost.memory;
		}
		printf("bench report_%zu_stacks_%s_cpu %.3f s\n", nr_stacks, commands[k].name,
		       median(cpu, runs));
		printf("bench report_%zu_stacks_%s_memory %.0f MB\n", nr_stacks, commands[k].name,
		       median(memory, runs));
	}
	nr_images = all;
	if (!getenv("KEEP_SESSIONS"))
		file_remove_tree(session_dir);
	free(samples);
	free(option);
	free(session_dir);
}

/* An argument: only shapes whose names begin so, or "wide". */
int main(int argc, char **argv)
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
	static const size_t wide[] = { 10000, 100000, 1000000 };
	char *self = path_program_dir(), *folder = xasprintf("%s/../bin", self);
	const char *only = argc > 1 ? argv[1] : "";

	if (getenv("RUNS"))
		runs = strtoul(getenv("RUNS"), NULL, 10);
	if (!runs || runs > MAX_RUNS)
		bug("RUNS is not 1 to %d", MAX_RUNS);
	if (!mkdtemp(dir))
		bug("cannot make a folder in /tmp");
	find_images("/usr/lib/x86_64-linux-gnu", 120);
	find_images("/usr/lib64", 120);
	find_images("/usr/bin", MAX_IMAGES);
	for (size_t i = 0; nr_images && i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (!strncmp(shapes[i].name, only, strlen(only)))
			measure(&shapes[i], folder);
	for (size_t i = 0; nr_images && i < sizeof(wide) / sizeof(wide[0]); i++)
		if (!*only || !strcmp(only, "wide"))
			measure_wide(wide[i], folder);
	if (!getenv("KEEP_SESSIONS"))
		file_remove_tree(dir);
	for (size_t i = 0; i < nr_images; i++)
		free(images[i].path);
	free(folder);
	free(self);
	return 0;
}
