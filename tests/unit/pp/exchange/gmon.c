/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gmon.c - write gmon files for both word sizes and byte orders; full bins; too large spans */
#include "tests/tap.h"

#include <errno.h>
#include <inttypes.h>

#include "pp/exchange/gmon/gmon.h"

static struct gmon_sample samples[] = { { 0x1001, 3 }, { 0x1004, 70000 }, { 0x1005, 1 } };
static struct gmon_arc arcs[] = { { 0x1004, 0x1000, 258 } };

static size_t encode(const struct gmon *g, unsigned char *ret, size_t room, uint64_t *ret_lost)
{
	FILE *f = tmpfile();
	size_t n;

	if (!f)
		abort();
	*ret_lost = gmon_write(g, f);
	rewind(f);
	n = fread(ret, 1, room, f);
	fclose(f);
	return n;
}

static void check_bytes(const struct gmon *g, const char *want, size_t want_size,
			uint64_t want_lost)
{
	unsigned char got[512];
	uint64_t lost;
	size_t n = encode(g, got, sizeof(got), &lost);

	CHECK(n == want_size, "%zu bytes, not %zu", n, want_size);
	for (size_t i = 0; i < n && i < want_size; i++)
		if (got[i] != (unsigned char)want[i]) {
			CHECK(got[i] == (unsigned char)want[i], "byte %zu is 0x%02x", i, got[i]);
			break;
		}
	CHECK(lost == want_lost, "%" PRIu64 " lost", lost);
}

#define ZEROS4 "\0\0\0\0"
#define DIMENSION "samples\0\0\0\0\0\0\0\0" "1"

TEST(little_endian_64)
{
	static const char head[] = "\0\x01\x10\0\0" ZEROS4 "\x07\x10\0\0" ZEROS4 "\x03\0\0\0"
				   "\x01\0\0\0" DIMENSION;
	char want[512] = "gmon\x01\0\0\0";
	size_t n = 20;
	struct gmon g = { .is_64 = true, .is_swapped = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
			  .samples = samples, .nr_samples = 3, .arcs = arcs, .nr_arcs = 1 };

	/* 70000 samples in the second bin: 65535 and, in another histogram, 4465 */
	memcpy(want + n, head, sizeof(head) - 1);
	n += sizeof(head) - 1;
	memcpy(want + n, "\x03\0\xff\xff\x01\0", 6);
	n += 6;
	memcpy(want + n, head, sizeof(head) - 1);
	n += sizeof(head) - 1;
	memcpy(want + n, "\0\0\x71\x11\0\0", 6);
	n += 6;
	memcpy(want + n, "\x01\x04\x10\0\0" ZEROS4 "\0\x10\0\0" ZEROS4 "\x02\x01\0\0", 21);
	n += 21;
	check_bytes(&g, want, n, 0);
}

TEST(big_endian_32)
{
	static const char want[] =
		"gmon\0\0\0\x01" ZEROS4 ZEROS4 ZEROS4
		"\0\0\0\x10\x01\0\0\x10\x07\0\0\0\x03\0\0\0\x01" DIMENSION
		"\0\x03\xff\xff\0\x01"
		"\x01\0\0\x10\x04\0\0\x10\0\0\0\x01\x02";
	struct gmon g = { .is_swapped = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, .compat = true,
			  .samples = samples, .nr_samples = 3, .arcs = arcs, .nr_arcs = 1 };

	check_bytes(&g, want, sizeof(want) - 1, 70000 - 65535);
}

static size_t size_of_bins(bool compat)
{
	struct gmon_sample aligned[] = { { 0x1000, 1 }, { 0x1040, 1 } };
	struct gmon g = { .compat = compat, .samples = aligned, .nr_samples = 2 };
	unsigned char got[512];
	uint64_t lost;

	return encode(&g, got, sizeof(got), &lost) - (20 + 1 + 4 * 4 + 16);
}

TEST(bin_width)
{
	CHECK(size_of_bins(true) == 9 * 2, "%zu", size_of_bins(true));
	CHECK(size_of_bins(false) == 33 * 2, "%zu", size_of_bins(false));
}

static int check_span(uint64_t low, uint64_t high, bool is_64)
{
	struct gmon_sample ends[] = { { low, 1 }, { high, 1 } };
	struct gmon g = { .is_64 = is_64, .samples = ends, .nr_samples = 2 };
	struct op_error e = { "" };
	int err = gmon_check(&g, &e);

	CHECK(!err == !*e.text, "'%s'", e.text);
	return err;
}

TEST(spans)
{
	CHECK(!check_span(0, 1 << 28, true), "256 MB of code");
	CHECK(!check_span(UINT64_MAX - 100, UINT64_MAX - 10, true), "kernel");
	CHECK(check_span(0, UINT64_C(1) << 40, true) == -EFBIG, "not code");
	CHECK(check_span(0, UINT64_MAX, true) == -EFBIG, "all memory");
	CHECK(check_span(UINT64_MAX - 100, UINT64_MAX, true) == -EFBIG, "its end wraps");
	CHECK(check_span(0x1000, UINT32_MAX, false) == -EFBIG, "its end has 33 bits");
}

TEST(calls_are_capped)
{
	struct gmon_sample one = { 0x1000, 1 };
	struct gmon_arc arc = { 0, 0, UINT64_C(1) << 33 };
	struct gmon g = { .samples = &one, .nr_samples = 1, .arcs = &arc, .nr_arcs = 1 };
	unsigned char got[512];
	uint64_t lost;
	size_t n = encode(&g, got, sizeof(got), &lost);

	CHECK(!memcmp(got + n - 4, "\xff\xff\xff\xff", 4), "not wrapped");
}

TEST_MAIN()
