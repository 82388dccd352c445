// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * short_lived.c - the perf collector on programs that end before /proc can be read
 *
 * On this machine, as root: 500 processes one after another, and one whose file is deleted.
 */
#include "tests/unit/daemon/collect/perf/truth.h"

#include "libutil/build_id.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "tests/unit/tmpdir.h"

#define PERIOD_NS 200000
#define SHORT_ONES 500
#define MANY_WORDS (1 << 21) /* a ring for many seconds, in case we are not scheduled */

static char *copy_self(const char *name)
{
	char *path = xasprintf("%s/%s", tmpdir, name), *bytes = NULL;
	size_t size = 0;

	CHECK(!file_read_all(self_path(), 64 << 20, &bytes, &size), "cannot read %s", self_path());
	CHECK(!file_write_atomic(path, bytes, size, 0755), "cannot write %s", path);
	free(bytes);
	return path;
}

static pid_t short_ones[SHORT_ONES];
static int nr_short_ones;

static bool is_short_one(op_word tgid)
{
	for (int i = 0; i < nr_short_ones; i++)
		if ((op_word)short_ones[i] == tgid)
			return true;
	return false;
}

/* All user samples of the short processes: "in" where they may be, "out" anywhere else. */
static void tally_short_ones(struct tally *t, const struct seen *s)
{
	char *program = NULL, *image = NULL;
	bool in_loop = s->pc >= t->from && s->pc < t->to;

	if (!s->user || !is_short_one(s->tgid))
		return;
	t->collector->cookie_path(t->collector, s->program, &program);
	t->collector->cookie_path(t->collector, s->cookie, &image);
	if (program && image && !strcmp(program, t->path))
		*(in_loop && !strcmp(image, t->path) ? &t->in : &t->other) += 1;
	else if (program && !image && !strcmp(s->anon, "[vdso]"))
		t->other++;
	else if (program && image && !strcmp(program, self_path()) && !in_loop)
		t->other++; /* between fork and exec */
	else
		t->out++;
	free(image);
	free(program);
}

/* As many as possible in the available time. */
static void run_short_ones(struct collector *c, struct tally *t)
{
	double end = now_s() + DEADLINE_S / 2;

	while (nr_short_ones < SHORT_ONES && now_s() < end) {
		pid_t pid = start_working(t->path, "3");

		short_ones[nr_short_ones++] = pid;
		waitpid(pid, NULL, 0);
		CHECK(!c->drain(c, false, take_words, t, NULL), "drain");
	}
}

TEST(short_lived_processes_keep_their_samples)
{
	struct tally t = {.sample = tally_short_ones, .collector = collector_perf()};
	struct collector *c = t.collector;
	struct cpu_counts total;
	struct op_error e = {""};
	uint64_t unknown;
	char *path;

	open_or_skip(c, PERIOD_NS, MANY_WORDS);
	tmpdir_make();
	path = copy_self("short");
	t.path = path;
	look_for_spin(&t);
	CHECK(!c->start(c, &e), "start: %s", e.text);
	run_short_ones(c, &t);
	finish(c, &t);
	total = totals(c);
	unknown = total.lost[LOST_NO_MM] + total.lost[LOST_NO_MAPPING];
	printf("# %d processes: in their loop %llu, outside it %llu, unknown %llu\n", nr_short_ones,
	       (unsigned long long)t.in, (unsigned long long)t.other, (unsigned long long)t.out);
	printf("# received %llu, lost in the ring %llu, unknown %llu\n",
	       (unsigned long long)total.received, (unsigned long long)total.lost[LOST_RING],
	       (unsigned long long)unknown);
	CHECK(nr_short_ones >= 5 && t.in >= 2 * (uint64_t)nr_short_ones, "%llu samples of %d",
	      (unsigned long long)t.in, nr_short_ones);
	CHECK(!total.lost[LOST_RING], "a ring of %d words was too small", MANY_WORDS);
	CHECK((double)t.out <= 0.005 * (double)(t.in + t.other), "unattributed");
	/* including those of everything else running here */
	CHECK((double)unknown <= 0.005 * (double)total.received, "lost");
	c->close(c);
	free(path);
}

/* Samples of any process whose program is @path: in the file's loop, or in no file. */
static void tally_program(struct tally *t, const struct seen *s)
{
	char *program = NULL, *image = NULL;

	if (!s->user || t->collector->cookie_path(t->collector, s->program, &program))
		return;
	if (!strcmp(program, t->path)) {
		t->collector->cookie_path(t->collector, s->cookie, &image);
		if (image && !strcmp(image, t->path))
			t->in += s->pc >= t->from && s->pc < t->to;
	}
	free(image);
	free(program);
}

/* The cookie's descriptor is of the deleted file. */
static void check_same_file(struct collector *c, op_word cookie)
{
	int fd = c->cookie_fd(c, cookie);
	struct build_id want, got;

	CHECK(fd >= 0, "cookie_fd: %d", fd);
	CHECK(!build_id_read(self_path(), &want) && !build_id_read_fd(fd, &got) &&
		      want.len == got.len && !memcmp(want.bytes, got.bytes, want.len),
	      "another file");
	close(fd);
}

TEST(deleted_program_is_found)
{
	struct tally t = {.sample = tally_program, .collector = collector_perf()};
	struct collector *c = t.collector;
	struct op_error e = {""};
	int found = 0;
	char *path;
	pid_t pid;

	open_or_skip(c, PERIOD_NS, 0);
	tmpdir_make();
	path = copy_self("gone");
	t.path = path;
	look_for_spin(&t);
	CHECK(!c->start(c, &e), "start: %s", e.text);
	pid = start_spinning(path);
	unlink(path);
	drain_until(c, &t, &t.in, 50);
	for (op_word cookie = 1; cookie < 1000; cookie++) {
		char *name = NULL;

		if (!c->cookie_path(c, cookie, &name) && !strcmp(name, path)) {
			check_same_file(c, cookie);
			found++;
		}
		free(name);
	}
	CHECK(found, "its file has no cookie");
	CHECK(c->cookie_fd(c, 1 << 30) == -ENOENT, "an unknown cookie");
	stop_spinning(pid);
	finish(c, &t);
	c->close(c);
	free(path);
}

int main(int argc, char **argv)
{
	return truth_main(argc, argv);
}
