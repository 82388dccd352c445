// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_data.c - read perf.data made by hand [PD-1..13] */
#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "formats/all_formats.h"
#include "tests/profile_print.h"
#include "tests/tap.h"
#include "tests/unit/formats/perf_file.h"

#define BUILD_ID	PERF_RECORD_MISC_MMAP_BUILD_ID
#define USER		PERF_RECORD_MISC_USER
#define KERNEL		PERF_RECORD_MISC_KERNEL
#define KERNEL_START	UINT64_C(0xffffffff81000000)

static char warned[2000];

static void keep_warning(void *context, const char *text)
{
	(void)context;
	snprintf(warned + strlen(warned), sizeof(warned) - strlen(warned), "%s\n", text);
}

static const struct format_warnings warnings = { keep_warning, NULL };

/* The profile, or NULL and *e. The bytes are copied, so that sanitizers see reads past the end. */
static struct profile *read_bytes(const unsigned char *bytes, size_t size, bool salvage,
				  struct op_error *e)
{
	struct format_read_options options = { .warnings = &warnings, .salvage = salvage };
	unsigned char *copy = xmalloc(size + 1);
	struct profile *p = profile_new();
	int err;

	memcpy(copy, bytes, size);
	warned[0] = e->text[0] = '\0';
	err = format_perf_data.read(copy, size, &options, p, e);
	free(copy);
	if (!err)
		return p;
	profile_free(p);
	return NULL;
}

static void check_fault(const struct perf_file *f, const char *why)
{
	struct profile *p;
	struct op_error e;

	p = read_bytes(f->bytes, f->size, false, &e);
	CHECK(!p && !strcmp(e.text, why), "'%s', not '%s'", e.text, why);
	profile_free(p);
}

/* Samples as text, and the warnings. */
static char *read_text(const unsigned char *bytes, size_t size, bool salvage)
{
	struct op_error e;
	struct profile *p = read_bytes(bytes, size, salvage, &e);
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	CHECK(p, "%s", e.text);
	if (p)
		profile_print_offsets(p, out);
	fputs(warned, out);
	fclose(out);
	profile_free(p);
	return text;
}

static void check_text(const struct perf_file *f, const char *wanted)
{
	char *text = read_text(f->bytes, f->size, false);

	CHECK(!strcmp(text, wanted), "is\n%swanted\n%s", text, wanted);
	free(text);
}

static const uint64_t user_stack[] = { PERF_CONTEXT_USER, 0x401010, 0x402000 };
static const uint64_t kernel_stack[] = { PERF_CONTEXT_KERNEL, KERNEL_START + 16,
					 KERNEL_START + 32, PERF_CONTEXT_USER, 0x401010, 0x9000 };

static void put_kernel(struct perf_file *f)
{
	put_mmap2(f, KERNEL, UINT32_MAX, 0, KERNEL_START, 0x1000000, KERNEL_START,
		  "[kernel.kallsyms]_text");
}

/* Processes and samples of two CPUs: those of the second come later, but are older. */
static void put_records(struct perf_file *f)
{
	put_kernel(f);
	put_sample(f, USER, 1, 10, 50, 250000, user_stack, 3);
	put_sample(f, KERNEL, 1, 20, 60, 250000, kernel_stack, 6);
	put_sample(f, USER, 2, 10, 70, 7, NULL, 0);
	put_comm(f, 10, 20, "prog");
	put_mmap2(f, USER | BUILD_ID, 10, 30, 0x400000, 0x10000, 0x1000, "/bin/prog");
	put_fork(f, 20, 10, 40);
	put_sample(f, USER, 2, 10, 25, 9, NULL, 0);
}

#define OF(pid, tid)	" | comm=prog, cpu=3 , pid=" pid " , tid=" tid "  | "
#define RECORDS_TEXT                                                                           \
	"cycles 9" OF("10", "11") "0x1234@\n"                                                  \
	"cpu-clock 1" OF("10", "11") "0x2010@/bin/prog 0x2fff@/bin/prog\n"                     \
	"cpu-clock 1" OF("20", "21") "0xffffffff81000010@[kernel.kallsyms] "                   \
	"0xffffffff8100001f@[kernel.kallsyms] 0x2010@/bin/prog 0x8fff@\n"                      \
	"cycles 7" OF("10", "11") "0x1234@\n"

/* [PD-1] [PD-5] [PD-6] [PD-9] */
TEST(in_order_of_time_and_of_either_byte_order)
{
	for (int swap = 0; swap < 2; swap++) {
		struct perf_file f = { .swap = swap };

		begin_file(&f);
		put_records(&f);
		end_records(&f);
		check_text(&f, RECORDS_TEXT);
		free(f.bytes);
	}
}

static void put_feature(struct perf_file *f, size_t *table, unsigned int bit, size_t start)
{
	set64(f, *table, start);
	set64(f, *table + 8, f->size - start);
	*table += 16;
	set64(f, 72, (f->swap ? __builtin_bswap64(*(uint64_t *)(f->bytes + 72))
			      : *(uint64_t *)(f->bytes + 72)) | UINT64_C(1) << bit);
}

/* Builds, names of events, and remarks. [PD-3] [PD-4] */
TEST(features)
{
	for (int swap = 0; swap < 2; swap++) {
		struct perf_file f = { .swap = swap };
		const unsigned char id[24] = { 0x12, 0x34 };
		struct profile *p;
		struct op_error e;
		size_t table, start;
		char *text;

		begin_file(&f);
		put_records(&f);
		end_records(&f);
		table = start = f.size;
		f.size = start += 4 * 16;
		begin_record(&f, 67, KERNEL);
		put32(&f, UINT32_MAX);
		put_bytes(&f, id, sizeof(id));
		put_text(&f, "[kernel.kallsyms]");
		end_record(&f);
		put_feature(&f, &table, 2, start);
		start = f.size;
		put_counted(&f, "box\n");
		put_feature(&f, &table, 3, start);
		start = f.size;
		put32(&f, 2);
		put_counted(&f, "perf");
		put_counted(&f, "record");
		put_feature(&f, &table, 11, start);
		start = f.size;
		put32(&f, 2);
		put32(&f, 64);
		for (int i = 0; i < 2; i++) {
			put_attr(&f, 0, 0, 0, 0);
			put32(&f, 0);
			put_counted(&f, i ? "LLC-load-misses:u" : "task-clock:ppp");
		}
		put_feature(&f, &table, 12, start);
		p = read_bytes(f.bytes, f.size, false, &e);
		CHECK(p, "%s", e.text);
		text = p ? profile_printed(p) : xstrdup("");
		CHECK(strstr(text, "type task-clock:ppp/nanoseconds\n") &&
		      strstr(text, "LLC-load-misses:u/count\n") &&
		      strstr(text, "comment host: box?\ncomment command: perf record\n") &&
		      strstr(text, "kallsyms] 1234000000000000000000000000000000000000\n") &&
		      strstr(text, "/bin/prog abcdef01\n"), "%s", text);
		CHECK(p && p->duration_ns == 45, "from the first sample to the last");
		free(text);
		profile_free(p);
		free(f.bytes);
	}
}

/* Everything is a record. [PD-2] */
TEST(a_pipe)
{
	for (int swap = 0; swap < 2; swap++) {
		struct perf_file f = { .bytes = xcalloc(1, PERF_FILE_ROOM), .swap = swap };

		put64(&f, UINT64_C(0x32454c4946524550));
		put64(&f, 16);
		for (uint64_t id = 1; id <= 2; id++) {
			begin_record(&f, 64, 0);
			put_attr(&f, PERF_TYPE_SOFTWARE, id == 2 ? 2 : 0, 0, PERF_FILE_TYPE);
			put64(&f, id);
			end_record(&f);
		}
		begin_record(&f, 78, 0);	/* its name */
		put64(&f, 2);
		put64(&f, 2);
		put_text(&f, "cycles");
		end_record(&f);
		begin_record(&f, 66, 0);	/* tracing data, padded, after the record */
		put32(&f, 9);
		end_record(&f);
		f.size += 16;
		begin_record(&f, 71, 0);	/* a hardware trace */
		put64(&f, 8);
		for (int i = 0; i < 4; i++)
			put64(&f, 0);
		end_record(&f);
		put64(&f, UINT64_MAX);
		put_records(&f);
		check_text(&f, RECORDS_TEXT "skipped 1 blocks of hardware trace\n");
		free(f.bytes);
	}
}

/* One stream in several records, whose borders are not those of the records in it. [PD-7] */
TEST(compressed)
{
	for (uint32_t type = 81; type <= 83; type += 2) {
		struct perf_file f = { .swap = false }, in = { .swap = false };
		ZSTD_CStream *stream = ZSTD_createCStream();

		in.bytes = xcalloc(1, PERF_FILE_ROOM);
		put_records(&in);
		begin_file(&f);
		for (size_t at = 0; at < in.size; at += 100) {
			size_t left = in.size - at;
			ZSTD_inBuffer from = { in.bytes + at, left < 100 ? left : 100, 0 };
			ZSTD_outBuffer to = { f.bytes, PERF_FILE_ROOM, 0 };
			size_t size_at;

			begin_record(&f, type, 0);
			size_at = f.size;
			f.size += type == 83 ? 8 : 0;
			to.pos = f.size;
			while (ZSTD_compressStream2(stream, &to, &from, ZSTD_e_flush))
				;
			if (type == 83) {
				set64(&f, size_at, to.pos - f.size);
				to.pos = (to.pos + 7) & ~(size_t)7;
			}
			f.size = to.pos;
			end_record(&f);
		}
		end_records(&f);
		check_text(&f, RECORDS_TEXT);
		f.bytes[280 + 8 + (type == 83 ? 8 : 0)] ^= 0x55;
		check_fault(&f, "offset 280: cannot unpack: Unknown frame descriptor");
		ZSTD_freeCStream(stream);
		free(in.bytes);
		free(f.bytes);
	}
}

/* A later mapping hides what it covers; what is left of the earlier one has its offsets. [PD-9] */
TEST(mappings_hide_earlier_ones)
{
	static const uint64_t addresses[] = { 0x400000, 0x401fff, 0x402000, 0x402fff, 0x403000 };
	struct perf_file f = { .swap = false };

	begin_file(&f);
	put_mmap2(&f, USER, 10, 1, 0x400000, 0x10000, 0, "/bin/a");
	put_mmap2(&f, USER, 10, 2, 0x402000, 0x1000, 0x5000, "/bin/b");
	for (int i = 0; i < 5; i++)
		put_sample(&f, USER, 1, 10, 9, 1, &addresses[i], 1);
	end_records(&f);
	check_text(&f,
		   "cpu-clock 1 | cpu=3 , pid=10 , tid=11  | 0x0@/bin/a\n"
		   "cpu-clock 1 | cpu=3 , pid=10 , tid=11  | 0x1fff@/bin/a\n"
		   "cpu-clock 1 | cpu=3 , pid=10 , tid=11  | 0x5000@/bin/b\n"
		   "cpu-clock 1 | cpu=3 , pid=10 , tid=11  | 0x5fff@/bin/b\n"
		   "cpu-clock 1 | cpu=3 , pid=10 , tid=11  | 0x3000@/bin/a\n");
	free(f.bytes);
}

/* A child keeps the mappings of its parent, whatever either maps later. [PD-9] */
TEST(processes_that_were_forked)
{
	static const uint64_t address = 0x400010;
	struct perf_file f = { .swap = false };

	begin_file(&f);
	put_mmap2(&f, USER, 10, 1, 0x400000, 0x1000, 0, "/bin/a");
	put_fork(&f, 20, 10, 2);
	put_fork(&f, 30, 20, 3);
	put_mmap2(&f, USER, 10, 4, 0x400000, 0x1000, 0, "/bin/b");
	put_mmap2(&f, USER, 30, 5, 0x400000, 0x1000, 0, "/bin/c");
	for (uint32_t pid = 10; pid <= 40; pid += 10)
		put_sample(&f, USER, 1, pid, 9, 1, &address, 1);
	end_records(&f);
	check_text(&f,
		   "cpu-clock 1 | cpu=3 , pid=10 , tid=11  | 0x10@/bin/b\n"
		   "cpu-clock 1 | cpu=3 , pid=20 , tid=21  | 0x10@/bin/a\n"
		   "cpu-clock 1 | cpu=3 , pid=30 , tid=31  | 0x10@/bin/c\n"
		   "cpu-clock 1 | cpu=3 , pid=40 , tid=41  | 0x400010@\n");
	free(f.bytes);
}

/* Samples in exec() are called from the program before. [PD-9] */
TEST(programs_that_execute_others)
{
	const uint64_t in_exec[] = { PERF_CONTEXT_KERNEL, KERNEL_START, PERF_CONTEXT_USER,
				     0x400010 };
	static const uint64_t addresses[] = { 0x500010, 0x400010 };
	struct perf_file f = { .swap = false };

	begin_file(&f);
	put_kernel(&f);
	put_mmap2(&f, USER, 10, 1, 0x400000, 0x1000, 0, "/bin/a");
	begin_record(&f, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	put32(&f, 10);
	put32(&f, 11);
	put_text(&f, "b");
	end_change(&f, 10, 2, 1);
	put_mmap2(&f, USER, 10, 3, 0x500000, 0x1000, 0, "/bin/b");
	put_sample(&f, KERNEL, 1, 10, 4, 1, in_exec, 4);
	for (int i = 0; i < 2; i++)
		put_sample(&f, USER, 1, 10, 9, 1, &addresses[i], 1);
	end_records(&f);
	check_text(&f,
		   "cpu-clock 1 | comm=b, cpu=3 , pid=10 , tid=11  | "
		   "0xffffffff81000000@[kernel.kallsyms] 0x10@/bin/a\n"
		   "cpu-clock 1 | comm=b, cpu=3 , pid=10 , tid=11  | 0x10@/bin/b\n"
		   "cpu-clock 1 | comm=b, cpu=3 , pid=10 , tid=11  | 0x400010@\n");
	free(f.bytes);
}

/* A device is not a build ID, though the kernel says so. [PD-3] */
TEST(build_ids_that_nobody_requested)
{
	static const uint64_t address = 0x400010;
	struct perf_file f = { .swap = false };
	struct profile *p;
	struct op_error e;
	size_t flags;

	begin_file(&f);
	flags = 120 + 40;
	for (int i = 0; i < 2; i++)
		set64(&f, flags + 80 * (size_t)i, attr_bit(&f, 18));
	put_mmap2(&f, USER | BUILD_ID, 10, 1, 0x400000, 0x1000, 0, "/bin/a");
	put_sample(&f, USER, 1, 10, 9, 1, &address, 1);
	end_records(&f);
	p = read_bytes(f.bytes, f.size, false, &e);
	CHECK(p && p->nr_images == 1 && !p->images[0].build_id, "%s", e.text);
	profile_free(p);
	free(f.bytes);
}

/* Modules, generated code of the kernel and of processes. [PD-10] [PD-11] */
TEST(images_that_are_no_files)
{
	static const uint64_t addresses[] = { 0xffffffffc0000010, 0xffffffffc0100010, 0x5010 };
	struct perf_file f = { .swap = false };
	struct profile *p;
	struct op_error e;
	char *text;

	begin_file(&f);
	put_kernel(&f);
	put_mmap2(&f, KERNEL, UINT32_MAX, 0, 0xffffffffc0000000, 0x1000, 0,
		  "/lib/modules/6.1/kernel/net/nf-nat.ko.xz");
	begin_record(&f, PERF_RECORD_KSYMBOL, 0);
	put64(&f, 0xffffffffc0100000);
	put32(&f, 0x100);
	put16(&f, 1);
	put16(&f, 0);
	put_text(&f, "bpf_prog_1234_filter");
	end_change(&f, 0, 1, 1);
	put_mmap2(&f, USER, 10, 2, 0x5000, 0x1000, 0, "//anon");
	for (int i = 0; i < 3; i++)
		put_sample(&f, i < 2 ? KERNEL : USER, 1, 10, 9, 1, &addresses[i], 1);
	end_records(&f);
	p = read_bytes(f.bytes, f.size, false, &e);
	CHECK(p, "%s", e.text);
	text = p ? profile_printed(p) : xstrdup("");
	CHECK(strstr(text, " 0xffffffffc0000010@[nf_nat][]\n"), "%s", text);
	CHECK(strstr(text, " 0xffffffffc0100010@[bpf][bpf_prog_1234_filter "), "%s", text);
	CHECK(strstr(text, " 0x5010@/tmp/perf-10.map[]\n"), "%s", text);
	free(text);
	profile_free(p);
	free(f.bytes);
}

/* [PD-13] */
TEST(what_is_missing_is_reported)
{
	struct perf_file f = { .swap = false };

	begin_file(&f);
	put_sample(&f, USER, 1, 10, 9, 1, NULL, 0);
	put_sample(&f, USER, 77, 10, 9, 1, NULL, 0);
	put_sample(&f, PERF_RECORD_MISC_GUEST_USER, 1, 10, 9, 1, NULL, 0);
	for (int i = 0; i < 2; i++) {
		begin_record(&f, PERF_RECORD_LOST, 0);
		put64(&f, 1);
		put64(&f, 5);
		end_change(&f, 0, 1, 1);
	}
	end_records(&f);
	check_text(&f, "cpu-clock 1 | cpu=3 , pid=10 , tid=11  | 0x1234@\n"
		   "perf lost 10 records while recording\n"
		   "skipped 1 samples of virtual machines\n"
		   "skipped 1 samples of unknown events\n");
	begin_record(&f, PERF_RECORD_LOST_SAMPLES, 0);
	put64(&f, 8);
	end_change(&f, 0, 1, 1);
	end_records(&f);
	check_text(&f, "cpu-clock 1 | cpu=3 , pid=10 , tid=11  | 0x1234@\n"
		   "perf lost 8 samples while recording\n"
		   "skipped 1 samples of virtual machines\n"
		   "skipped 1 samples of unknown events\n");
	free(f.bytes);
}

/* perf was killed, or the file is cut: what is there is read. [PD-2] [PD-8] */
TEST(files_that_are_not_complete)
{
	struct perf_file f = { .swap = false };
	size_t whole, last;
	char *text;

	begin_file(&f);
	put_records(&f);
	check_text(&f, RECORDS_TEXT "offset 48: perf did not finish this file: reading the records "
				    "up to its end\n");
	end_records(&f);
	whole = f.size;
	last = f.record;
	for (f.size = last + 8; f.size < whole; f.size++) {
		char wanted[200];

		snprintf(wanted, sizeof(wanted),
			 "offset %zu: truncated: expected %zu bytes of records from offset 280\n"
			 "offset %zu: truncated: the last record is incomplete\n",
			 f.size, whole - 280, last);
		text = read_text(f.bytes, f.size, false);
		CHECK(strstr(text, wanted) && !strncmp(text, "cpu-clock 1 ", 12), "%s", text);
		free(text);
	}
	free(f.bytes);
}

TEST(malformed_files)
{
	struct perf_file f = { .swap = false };
	size_t whole;
	char *text;

	begin_file(&f);
	f.size = 90;
	check_fault(&f, "offset 90: truncated header");
	f.size = 200;
	check_fault(&f, "offset 120: truncated descriptions of events");
	f.size = 280;
	set64(&f, 32, 0);
	check_fault(&f, "offset 120: no events");
	set64(&f, 32, 160);
	check_fault(&f, "no samples found");
	put_records(&f);
	end_records(&f);
	whole = f.size;
	f.size = f.record + 6;
	put16(&f, 7);
	f.size = whole;
	check_fault(&f, "offset 912: invalid size of a record: 7");
	text = read_text(f.bytes, f.size, true);
	CHECK(strstr(text, "offset 912: invalid size of a record: 7; rest of the file skipped\n"),
	      "%s", text);
	free(text);
	f.size = f.record + 56;
	put64(&f, 1u << 20);		/* frames */
	f.size = f.record + 6;
	put16(&f, (uint16_t)(whole - f.record));
	f.size = whole;
	check_fault(&f, "offset 912: truncated sample");
	text = read_text(f.bytes, f.size, true);
	CHECK(strstr(text, "offset 912: truncated sample; record skipped\n"), "%s", text);
	free(text);
	memcpy(f.bytes, "PERFILE1", 8);
	check_fault(&f, "offset 0: expected PERFILE2, the beginning of perf.data");
	free(f.bytes);
}

/* Each child copies all mappings: refused before that takes long. [PD-12] */
TEST(too_many_mappings)
{
	struct perf_file f = { .swap = false };
	uint32_t pid = 1;

	begin_file(&f);
	put_sample(&f, USER, 1, 10, 9, 1, NULL, 0);
	for (uint64_t i = 0; i < 2000; i++)
		put_mmap2(&f, USER, pid, 1, 0x1000 * 2 * i, 0x1000, 0, "/a");
	for (; f.size < PERF_FILE_ROOM - 500; pid++) {
		put_fork(&f, pid + 1, pid, 1);
		put_mmap2(&f, USER, pid + 1, 1, UINT64_C(1) << 40, 0x1000, 0, "/a");
	}
	end_records(&f);
	check_fault(&f, "too many mappings for a file of this size");
	free(f.bytes);
}

TEST_MAIN()
