// SPDX-License-Identifier: GPL-2.0-or-later
/* records.c - parsing records: each type, and each way to be too short */
#include "tests/tap.h"

#include <errno.h>

#include "daemon/collect/perf/records.h"
#include "tests/unit/daemon/collect/perf/build.h"

TEST(sample)
{
	struct perf_record r;
	struct bytes b;

	make_sample(&b, PERF_RECORD_MISC_USER, 0x401000, 10, 11, 999, 3);
	CHECK(b.size == PERF_SAMPLE_BYTES, "%zu bytes", b.size);
	CHECK(!perf_record_parse(b.at, b.size, &r), "parse");
	CHECK(r.kind == PERF_KIND_SAMPLE && r.time == 999 && r.cpu == 3, "what, when, where");
	CHECK(r.sample.pc == 0x401000 && r.sample.tgid == 10 && r.sample.tid == 11, "whose");
	CHECK(r.sample.mode == PERF_MODE_USER, "mode");
	make_sample(&b, PERF_RECORD_MISC_KERNEL, 1, 10, 11, 999, 3);
	CHECK(!perf_record_parse(b.at, b.size, &r) && r.sample.mode == PERF_MODE_KERNEL, "kernel");
	make_sample(&b, PERF_RECORD_MISC_GUEST_USER, 1, 10, 11, 999, 3);
	CHECK(!perf_record_parse(b.at, b.size, &r) && r.sample.mode == PERF_MODE_UNKNOWN, "guest");
}

TEST(mmap2)
{
	struct perf_record r;
	struct bytes b;

	make_mmap2(&b, 10, 0x400000, 0x1000, 0x2000, 55, "/bin/x", 5);
	CHECK(!perf_record_parse(b.at, b.size, &r) && r.kind == PERF_KIND_MMAP, "parse");
	CHECK(r.mmap.start == 0x400000 && r.mmap.end == 0x401000 && r.mmap.offset == 0x2000,
	      "range");
	CHECK(r.mmap.inode == 55 && r.mmap.major == 8 && r.mmap.minor == 1 &&
		      r.mmap.generation == 3 && r.mmap.executable && !r.mmap.build_id.len,
	      "file");
	CHECK(!strcmp(r.mmap.path, "/bin/x") && r.tgid == 10 && r.time == 5, "name");
}

TEST(mmap2_with_build_id)
{
	struct perf_record r;
	struct bytes b;

	make_mmap2(&b, 10, 0x400000, 0x1000, 0, 0, "/bin/x", 5);
	((struct perf_event_header *)b.at)->misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	memset(b.at + 40, 0xab, 24);
	b.at[40] = 20;
	CHECK(!perf_record_parse(b.at, b.size, &r), "parse");
	CHECK(r.mmap.build_id.len == 20 && r.mmap.build_id.bytes[0] == 0xab &&
		      r.mmap.build_id.bytes[19] == 0xab,
	      "id");
	CHECK(!r.mmap.inode && !r.mmap.major, "no inode then");
	b.at[40] = 21; /* too large: ignored, but the mapping counts */
	CHECK(!perf_record_parse(b.at, b.size, &r) && !r.mmap.build_id.len, "a length that lies");
}

TEST(tasks)
{
	struct perf_record r;
	struct bytes b;

	make_task(&b, PERF_RECORD_FORK, 20, 10, 20, 6);
	CHECK(!perf_record_parse(b.at, b.size, &r) && r.kind == PERF_KIND_FORK, "fork");
	CHECK(r.tgid == 20 && r.tid == 20 && r.parent_tgid == 10 && r.time == 6, "who");
	make_task(&b, PERF_RECORD_EXIT, 20, 10, 21, 7);
	CHECK(!perf_record_parse(b.at, b.size, &r) && r.kind == PERF_KIND_EXIT && r.tid == 21,
	      "exit");
	make_comm(&b, 0, 20, "name", 8);
	CHECK(!perf_record_parse(b.at, b.size, &r) && r.kind == PERF_KIND_COMM &&
	      !strcmp(r.comm, "name"), "renamed");
	make_comm(&b, PERF_RECORD_MISC_COMM_EXEC, 20, "name", 8);
	CHECK(!perf_record_parse(b.at, b.size, &r) && r.kind == PERF_KIND_EXEC && r.tgid == 20 &&
	      !strcmp(r.comm, "name"), "exec");
}

TEST(losses)
{
	struct perf_record r;
	struct bytes b;

	begin(&b, PERF_RECORD_LOST, 0);
	add64(&b, 77);
	add64(&b, 12);
	end_with_id(&b, 0, 0, 9, 0);
	CHECK(!perf_record_parse(b.at, b.size, &r) && r.kind == PERF_KIND_LOST && r.lost == 12,
	      "lost");
	begin(&b, PERF_RECORD_LOST_SAMPLES, 0);
	add64(&b, 13);
	end_with_id(&b, 0, 0, 9, 0);
	CHECK(!perf_record_parse(b.at, b.size, &r) && r.kind == PERF_KIND_LOST_SAMPLES &&
		      r.lost == 13,
	      "lost samples");
	begin(&b, PERF_RECORD_UNTHROTTLE, 0);
	add64(&b, 9);
	add64(&b, 1);
	add64(&b, 1);
	end_with_id(&b, 0, 0, 9, 0);
	CHECK(!perf_record_parse(b.at, b.size, &r) && r.kind == PERF_KIND_UNTHROTTLE, "unthrottle");
	begin(&b, 4711, 0);
	end_with_id(&b, 1, 2, 9, 0);
	CHECK(!perf_record_parse(b.at, b.size, &r) && r.kind == PERF_KIND_OTHER && r.time == 9,
	      "a type of the future");
}

TEST(control_groups)
{
	struct perf_record r;
	struct bytes b;

	begin(&b, PERF_RECORD_CGROUP, 0);
	add64(&b, 4711);
	add(&b, "/a/group\0\0\0\0\0\0\0", 16);
	end_with_id(&b, 1, 2, 9, 0);
	CHECK(!perf_record_parse(b.at, b.size, &r) && r.kind == PERF_KIND_CGROUP && r.time == 9,
	      "made");
	CHECK(r.cgroup.id == 4711 && !strcmp(r.cgroup.path, "/a/group"), "id and path");
	begin(&b, PERF_RECORD_CGROUP, 0);
	add64(&b, 4711);
	add64(&b, UINT64_MAX);
	end_with_id(&b, 1, 2, 9, 0);
	CHECK(perf_record_parse(b.at, b.size, &r) == -EBADMSG, "a path without end");

	begin(&b, PERF_RECORD_KSYMBOL, 0);
	add64(&b, 0xffffffffc0100040);
	add64(&b, (uint64_t)PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER << 48 |
		  (uint64_t)PERF_RECORD_KSYMBOL_TYPE_BPF << 32 | 0x180);
	add(&b, "bpf_prog\0\0\0\0\0\0\0", 16);
	end_with_id(&b, 1, 2, 9, 0);
	CHECK(!perf_record_parse(b.at, b.size, &r) && r.kind == PERF_KIND_CODE && r.time == 9,
	      "code");
	CHECK(r.code.start == 0xffffffffc0100040 && r.code.size == 0x180 && !r.code.is_loaded &&
	      !strcmp(r.code.name, "bpf_prog"), "its end");
	begin(&b, PERF_RECORD_KSYMBOL, 0);
	add64(&b, 0xffffffffc0100040);
	add64(&b, 0x180);
	add64(&b, UINT64_MAX);
	end_with_id(&b, 1, 2, 9, 0);
	CHECK(perf_record_parse(b.at, b.size, &r) == -EBADMSG, "a name without end");

	make_sample(&b, PERF_RECORD_MISC_USER, 0x401000, 10, 11, 999, 3);
	CHECK(!perf_record_cgroup(b.at, b.size), "not told");
	add64(&b, 77);
	add64(&b, 4711);
	CHECK(perf_record_cgroup(b.at, b.size) == 4711, "behind all else");
}

/* A truncated record is refused, and the result is untouched. */
TEST(cut_records)
{
	struct perf_record r, untouched;
	struct bytes whole[4], b;

	memset(&untouched, 0x5a, sizeof(untouched));
	make_sample(&whole[0], PERF_RECORD_MISC_USER, 1, 2, 3, 4, 5);
	make_mmap2(&whole[1], 10, 0x400000, 0x1000, 0, 55, "/bin/true-or-false", 5);
	make_task(&whole[2], PERF_RECORD_FORK, 1, 2, 3, 4);
	make_comm(&whole[3], PERF_RECORD_MISC_COMM_EXEC, 1, "x", 2);
	for (int i = 0; i < 4; i++) {
		size_t need = i == 1 ? 8 + 64 + 32 + 1 : i == 3 ? 8 + 8 + 32 : whole[i].size;

		for (size_t size = 0; size < need; size++) {
			b = whole[i];
			b.size = size;
			if (size >= 8)
				end(&b);
			r = untouched;
			CHECK(perf_record_parse(b.at, size, &r) == -EBADMSG, "%d: %zu", i, size);
			CHECK(!memcmp(&r, &untouched, sizeof(r)), "%d: %zu touched", i, size);
		}
	}
}

TEST(malformed_mmap2)
{
	struct perf_record r;
	struct bytes b;
	uint64_t huge = UINT64_MAX, zero = 0;

	make_mmap2(&b, 10, 0x400000, 0x1000, 0, 55, "/bin/x", 5);
	memcpy(b.at + 24, &huge, 8);
	CHECK(perf_record_parse(b.at, b.size, &r) == -EBADMSG, "beyond the end of addresses");
	memcpy(b.at + 24, &zero, 8);
	CHECK(perf_record_parse(b.at, b.size, &r) == -EBADMSG, "empty");
	make_mmap2(&b, 10, 0x400000, 0x1000, 0, 55, "1234567", 5);
	b.at[72 + 7] = 'x';
	CHECK(perf_record_parse(b.at, b.size, &r) == -EBADMSG, "a name without end");
}

TEST_MAIN()
