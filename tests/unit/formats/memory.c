// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * memory.c - no reader uses more than 64 MB for a small hostile file [PF-7]
 *
 * Each file has 1 MiB, the limit for a gzip file of a few KB, of what costs a reader most memory
 * for each byte. A process of its own reads it, and the kernel reports its peak size; whether the
 * file is accepted does not matter here.
 */
#include "formats/all_formats.h"
#include "tests/unit/formats/perf_file.h"
#include "tests/unit/reader_size.h"

#define FILE_SIZE	(1 << 20)

/*
 * A file: @start, then @again until the file is full, then @end. A % in @again is replaced by the
 * number of the repetition, in base 36 to be short.
 */
struct hostile {
	const struct profile_format *format;
	const char *start, *again, *end;
};

static const struct hostile texts[] = {
	{ &format_callgrind, "events: a b c d e f g h i j k l m n o p q r s t u v w x y z\n", "1\n",
	  "" },
	{ &format_callgrind, "events: a\n", "fn=(%)a\n", "" },
	{ &format_callgrind, "events: a\n", "fn=%\n1\n", "" },
	{ &format_callgrind, "events: a\n", "ob=%\n1\n", "" },
	{ &format_callgrind, "events: a\n", "+1\n", "" },
	{ &format_csv, "samples\n", "1\n", "" },
	{ &format_csv, "event,samples\n", "%,1\n", "" },
	{ &format_csv, "symbol,samples\n", "%,1\n", "" },
	{ &format_csv, "comm,samples\n", "%,1\n", "" },
	{ &format_csv, "offset,samples,address\n", ",1,%\n", "" },
	{ &format_csv, "offset,samples\n", "%,1\n", "" },
	{ &format_csv, "image,samples\n", "%,1\n", "" },
	{ &format_firefox, "", "[", "" },
	{ &format_firefox, "{\"a\":", "{\"a\":", "" },
	{ &format_firefox, "{\"a\":[0", ",0", "]}" },
	{ &format_firefox, "{\"a\":[0", ",{}", "]}" },
	{ &format_firefox, "{\"a\":[0", ",[]", "]}" },
	{ &format_firefox, "{\"a\":[0", ",\"\"", "]}" },
	{ &format_firefox, "{\"a\":[0", ",1e1", "]}" },
	{ &format_firefox, "{\"a\":0", ",\"%\":0", "}" },
	{ &format_firefox, "{\"meta\":{\"preprocessedProfileVersion\":1},\"threads\":[{}", ",{}",
	  "]}" },
	{ &format_firefox, "{\"meta\":{\"preprocessedProfileVersion\":1},\"threads\":[{\"samples\":"
	  "{\"stack\":[null", ",null", "]},\"stackTable\":{\"frame\":[]}}]}" },
	{ &format_firefox, "{\"meta\":{\"preprocessedProfileVersion\":1},\"threads\":[{"
	  "\"frameTable\":{\"func\":[0]},\"funcTable\":{\"name\":[0]},\"stringArray\":[\"f\"],"
	  "\"stackTable\":{\"frame\":[0", ",0", "]}}]}" },
	{ &format_speedscope, "{\"shared\":{\"frames\":[{\"name\":\"f\"}", ",{\"name\":\"%\"}",
	  "]}}" },
	{ &format_speedscope, "{\"shared\":{\"frames\":[]},\"profiles\":[{\"unit\":\"none\"}",
	  ",{\"unit\":\"none\"}", "]}" },
	{ &format_speedscope, "{\"shared\":{\"frames\":[{\"name\":\"f\"}]},\"profiles\":[{\"unit\":"
	  "\"none\",\"type\":\"sampled\",\"weights\":[1],\"samples\":[[0", ",0", "]]}]}" },
	{ &format_speedscope, "{\"shared\":{\"frames\":[{\"name\":\"f\"}]},\"profiles\":[{\"unit\":"
	  "\"none\",\"type\":\"sampled\",\"weights\":[1],\"samples\":[[0", "],[0", "]]}]}" },
	{ &format_v8cpuprofile, "{\"startTime\":0,\"endTime\":0,\"nodes\":[{\"id\":-1,"
	  "\"hitCount\":1,\"callFrame\":{}}",
	  ",{\"id\":1%,\"hitCount\":1,\"callFrame\":{}}", "]}" },
	{ &format_v8cpuprofile, "{\"startTime\":0,\"endTime\":0,\"nodes\":[{\"id\":1,"
	  "\"callFrame\":{}}],\"timeDeltas\":[],\"samples\":[1", ",1", "]}" },
	{ &format_folded, "", "a 1\n", "" },
	{ &format_folded, "a;b 1\n", "% 1\n", "" },
	{ &format_folded, "a;b 1\n", "%;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a 1\n",
	  "" },
	{ &format_folded, "a;b 1\n", "%_[k];a_[i];b_[j] 1\n", "" },
	{ &format_perf_script, "", "a 1 1.0: e:\n", "" },
	{ &format_perf_script, "", "a 1 1.0: %:\n", "" },
	{ &format_perf_script, "a 1 1.0: e:\n", "\t1\n", "" },
	{ &format_perf_script, "a 1 1.0: e:\n", "\t1 %\n", "" },
	{ &format_perf_script, "a 1 1.0: e:\n", "\t1 (%)\n", "" },
	{ &format_perf_script, "", "% 1 1.0: e: 1\n", "" },
};

/* A file in memory. */
static char bytes[FILE_SIZE + 200];
static size_t nr_bytes;

static void put(const void *what, size_t size)
{
	memcpy(bytes + nr_bytes, what, size);
	nr_bytes += size;
}

static void put_base36(unsigned int n)
{
	if (n >= 36)
		put_base36(n / 36);
	bytes[nr_bytes++] = "0123456789abcdefghijklmnopqrstuvwxyz"[n % 36];
}

static void make_text(const struct hostile *h)
{
	size_t limit = FILE_SIZE - strlen(h->end) - strlen(h->again);

	nr_bytes = 0;
	put(h->start, strlen(h->start));
	for (unsigned int n = 0; nr_bytes < limit; n++)
		for (const char *c = h->again; *c; c++)
			if (*c == '%')
				put_base36(n);
			else
				bytes[nr_bytes++] = *c;
	put(h->end, strlen(h->end));
}

/* Words of 32 bits, the smallest; each record has another address. */
static void make_cpuprofile(void)
{
	static const uint32_t head[] = { 0, 3, 0, 10000, 0 };

	nr_bytes = 0;
	put(head, sizeof(head));
	for (uint32_t n = 0; nr_bytes < FILE_SIZE; n++)
		put((uint32_t[]){ 1, 1, 0x1000 + n }, 12);
}

/* The shortest possible messages of profile.proto. */
static void make_pprof(const void *again, size_t size)
{
	static const unsigned char head[] = {
		0x32, 0, 0x32, 1, 'a', 0x0a, 4, 8, 1, 16, 1,	/* "", "a", a type */
		0x22, 2, 8, 1, 0x2a, 2, 8, 1,			/* location 1, function 1 */
	};

	nr_bytes = 0;
	put(head, sizeof(head));
	while (nr_bytes < FILE_SIZE)
		put(again, size);
}

/* Records of perf.data: a few bytes each, and all of them change something. */
static void make_perf_data(unsigned int kind)
{
	struct perf_file f = { .swap = false };

	begin_file(&f);
	for (uint64_t n = 0; f.size < PERF_FILE_ROOM - 500; n++) {
		const uint64_t stack[] = { PERF_CONTEXT_USER, 4096 * n, 4096 * n + 8, n };

		if (kind == 0) {
			put_sample(&f, PERF_RECORD_MISC_USER, 1, (uint32_t)n, n, n, stack, 4);
		} else if (kind == 1) {
			put_mmap2(&f, PERF_RECORD_MISC_USER, (uint32_t)n, n, 4096, 4096, n, "a");
			put_sample(&f, PERF_RECORD_MISC_USER, 1, (uint32_t)n, n, n, stack, 4);
		} else if (kind == 2) {
			put_mmap2(&f, PERF_RECORD_MISC_USER, 1, n, 8192 * n, 4096, n, "a");
			put_fork(&f, (uint32_t)n + 2, 1, n);
		} else {
			put_comm(&f, (uint32_t)n, n, "");
		}
	}
	put_sample(&f, PERF_RECORD_MISC_USER, 1, 1, 1, 1, NULL, 0);
	end_records(&f);
	nr_bytes = 0;
	put(f.bytes, f.size);
	free(f.bytes);
}

static bool read_bytes(const void *what)
{
	const struct profile_format *format = what;
	struct format_read_options options = { .salvage = true };
	struct op_error e = { "" };

	return !format->read((unsigned char *)bytes, nr_bytes, &options, profile_new(), &e);
}

static void check_size(const struct profile_format *format, const char *what)
{
	char name[200];

	snprintf(name, sizeof(name), "%s: %s", format->name, what);
	check_reader_size(read_bytes, format, name);
}

TEST(texts)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		make_text(&texts[i]);
		check_size(texts[i].format, texts[i].again);
	}
}

TEST(cpuprofile)
{
	make_cpuprofile();
	check_size(&format_cpuprofile, "records");
}

#define MESSAGE(bytes) { bytes, sizeof(bytes) - 1 }

TEST(pprof)
{
	static const struct {
		const char *bytes;
		size_t size;
	} messages[] = {
		MESSAGE("\x32\x00"),				/* strings */
		MESSAGE("\x0a\x00"),				/* types */
		MESSAGE("\x12\x02\x10\x01"),			/* samples without a stack */
		MESSAGE("\x12\x04\x08\x01\x10\x01"),		/* and with one */
		MESSAGE("\x12\x06\x10\x01\x1a\x02\x08\x01"),	/* labels */
		MESSAGE("\x12\x08\x10\x01\x1a\x00\x1a\x00\x1a\x00"),
	};

	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		make_pprof(messages[i].bytes, messages[i].size);
		check_size(&format_pprof, "messages");
	}
}

TEST(perf_data)
{
	static const char *const kinds[] = { "samples", "mappings", "processes", "names" };

	for (unsigned int kind = 0; kind < 4; kind++) {
		make_perf_data(kind);
		check_size(&format_perf_data, kinds[kind]);
	}
}

TEST(every_reader_is_tested)
{
	for (const struct profile_format *const *f = profile_formats; *f; f++) {
		bool is_tested = *f == &format_cpuprofile || *f == &format_pprof ||
				 *f == &format_perf_data;

		for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
			is_tested = is_tested || texts[i].format == *f;
		CHECK(is_tested || !(*f)->read, "%s", (*f)->name);
	}
}

TEST_MAIN()
