// SPDX-License-Identifier: GPL-2.0-or-later
/* bombs.c - files that are made to cost much cost little, and only their own process */
#include <inttypes.h>
#include "daemon/jit/convert.h"
#include "daemon/jit/objects.h"
#include "libutil/xalloc.h"
#include "tests/unit/daemon/jit/child.h"
#include "tests/unit/daemon/jit/test.h"

/* As after a job: its results and the object's size. */
static struct jit_job convert(enum jit_kind kind, const struct strbuf *text, off_t *ret_size)
{
	struct jit_job job = { .in = { -1, -1, -1 } };
	struct stat st = { 0 };

	tmpdir_make();
	put_file(tmpdir_path("in"), text->text, text->len);
	job.in[kind] = open(tmpdir_path("in"), O_RDONLY | O_CLOEXEC);
	job.out = open(tmpdir_path("out"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK(!jit_job_do(&job, NULL, NULL, NULL), "no child");
	CHECK(!fstat(job.out, &st), "fstat");
	*ret_size = st.st_size;
	close(job.in[kind]);
	close(job.out);
	return job;
}

/* Code of one byte each, so that all but one byte of a page are padding. */
TEST(scattered_code)
{
	struct strbuf s = STRBUF_INIT;
	struct jit_job job;
	off_t size;

	jitdump_header(&s, 0);
	for (uint64_t i = 0; i < 100000; i++)
		jitdump_load(&s, 1, 0x1000 + 4095 * i, 1, "f", "c");
	job = convert(JIT_JITDUMP, &s, &size);
	CHECK(job.done && !job.err && job.nr_symbols == 100000, "%zu symbols", job.nr_symbols);
	CHECK((size_t)size < s.len, "%zu bytes made an object of %jd", s.len, (intmax_t)size);
	strbuf_free(&s);
}

/* Each address would be compared with all before it, and the child be killed. */
TEST(hash_flood)
{
	struct strbuf s = STRBUF_INIT;
	struct jit_job job;
	off_t size;

	CHECK(inverse_hash(hash_u64(12345)) == 12345, "the inverse");
	dump_header(&s);
	for (uint64_t i = 1; i <= 200000; i++)
		dump_load(&s, 1, colliding_address(i), 1, "f", NULL);
	job = convert(JIT_DUMP, &s, &size);
	CHECK(job.done && !job.err && job.nr_symbols > 90000, "%s, %zu symbols",
	      job.done ? "done" : "killed", job.nr_symbols);
	strbuf_free(&s);
}

/* A process of @uid that ended, with a perf map, in a session of its own. */
static struct jit_process *process_with_map(uint32_t tgid, uid_t uid)
{
	struct jit_process *q = jit_process_new(tgid);
	char *map = tmpdir_path("map");

	put_text(map, "1000 10 f\n");
	jit_process_add_folder(q, "/bin/app", "anon");
	q->files.fd[JIT_PERF_MAP] = open(map, O_RDONLY | O_CLOEXEC);
	q->owner = (struct jit_owner){ .pid = tgid, .uids = { uid, uid, uid, uid } };
	return q;
}

static void expect_quota(struct jit_output *o, struct jit_process *q, bool is_written)
{
	CHECK(jit_objects_write(o, &q, 1, NULL, NULL) == is_written, "user %u",
	      q->owner.uids[0]);
	CHECK(q->damaged == !is_written, "damaged");
}

/* One user's objects do not fill the disk, nor use up the others' share of a session. */
TEST(quota)
{
	struct jit_output o = { 0 };
	struct jit_process *a, *b;

	tmpdir_make();
	file_make_dirs(tmpdir_path("samples/{root}/bin/app/{dep}/{anon:anon}"), 0755);
	file_make_dirs(tmpdir_path("samples/stats"), 0755);
	o.samples_dir = xstrdup(tmpdir_path("samples"));
	jit_roots_read(o.samples_dir, &o.roots);
	a = process_with_map(1, 1000);
	b = process_with_map(2, 2000);
	expect_quota(&o, a, true);
	CHECK(o.costs.nr == 1 && o.costs.users[0].bytes == a->object_bytes && a->object_bytes,
	      "charged");
	expect_quota(&o, a, true);
	CHECK(o.costs.users[0].bytes == a->object_bytes, "one that replaces another");
	o.costs.users[0].bytes = a->object_bytes + JIT_USER_BYTES - 1;
	a->object_bytes--;
	expect_quota(&o, a, false);
	expect_quota(&o, b, true);
	o.costs.bytes = JIT_ALL_BYTES + b->object_bytes;
	expect_quota(&o, b, false);
	jit_objects_begin_session(&o);
	jit_process_reset(a);
	expect_quota(&o, a, true);
	jit_process_free(a);
	jit_process_free(b);
	jit_roots_free(&o.roots);
	free(o.samples_dir);
}

TEST_MAIN()
