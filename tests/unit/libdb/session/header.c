// SPDX-License-Identifier: GPL-2.0-or-later
/* header.c - the bytes of both versions, and refused headers */
#include <errno.h>
#include <stdint.h>
#include "libdb/session/header.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

static const struct sample_header full = {
	.cpu_type = 0x01020304, .event = 0x11121314, .unit_mask = 0x21222324,
	.count = 0x31323334, .is_kernel = true, .cpu_mhz = 2500.5, .mtime = 0x4142434445464748,
	.cg_to_is_kernel = true, .anon_start = 0x5152535455565758,
	.cg_to_anon_start = 0x6162636465666768,
};

/* offset and value of each field in the file; wide: 8 bytes */
static const struct place {
	size_t at;
	uint64_t value;
	bool wide;
} common[] = {
	{ 8, 0x01020304, false }, { 12, 0x11121314, false }, { 16, 0x21222324, false },
	{ 20, 0x31323334, false }, { 24, 1, false }, { 28, 0, false },
	{ 40, 0x4142434445464748, true }, { 48, 1, false }, { 52, 0, false },
}, only_1x[] = {
	{ 4, 0x13, false }, { 56, 0x5152535455565758, true }, { 64, 0x6162636465666768, true },
}, only_099[] = {
	{ 4, 0x12, false }, { 56, UINT64_MAX, true }, { 64, 0x5152535455565758, true },
	{ 72, 0x6162636465666768, true }, { 80, 0, true },
};

static void check_places(const unsigned char *bytes, const struct place *p, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t value = 0;

		memcpy(&value, bytes + p[i].at, p[i].wide ? 8 : 4);
		CHECK(value == p[i].value, "offset %zu: %llx", p[i].at, (unsigned long long)value);
	}
}

static void round_trip(uint32_t version, size_t want)
{
	unsigned char bytes[SAMPLE_HEADER_SIZE_MAX];
	struct sample_header h = full, got;
	struct op_error e = { "" };
	size_t size = 0;
	double mhz;
	int n;

	h.version = version;
	n = sample_header_encode(&h, bytes, sizeof(bytes));
	CHECK(n == (int)want, "%d", n);
	CHECK(!memcmp(bytes, "DAE\n", 4), "magic");
	memcpy(&mhz, bytes + 32, 8);
	CHECK(mhz == 2500.5, "%f", mhz);
	check_places(bytes, common, ARRAY_SIZE(common));
	if (version == SAMPLE_VERSION_1X)
		check_places(bytes, only_1x, ARRAY_SIZE(only_1x));
	else
		check_places(bytes, only_099, ARRAY_SIZE(only_099));
	CHECK(!sample_header_decode(bytes, want, &got, &size, &e), "%s", e.text);
	CHECK(size == want && got.version == version && got.cpu_type == h.cpu_type &&
	      got.event == h.event && got.unit_mask == h.unit_mask && got.count == h.count &&
	      got.is_kernel && got.cpu_mhz == 2500.5 && got.mtime == h.mtime &&
	      got.cg_to_is_kernel && got.anon_start == h.anon_start &&
	      got.cg_to_anon_start == h.cg_to_anon_start, "read back");
	CHECK(sample_header_encode(&h, bytes, want - 1) == -ENOSPC, "room");
}

TEST(version_1x)
{
	round_trip(SAMPLE_VERSION_1X, 72);
}

TEST(version_099)
{
	round_trip(SAMPLE_VERSION_099, 88);
}

TEST(refused)
{
	static const struct {
		char start[8 + 1];
		size_t n;
		int err;
		const char *says;
	} rows[] = {
		{ "", 0, -ENODATA, "no samples yet" },
		{ "\0\0\0\0\0\0\0", 8, -ENODATA, "no samples yet" },
		{ "DAE", 3, -EPROTO, "not an OProfile sample file" },
		{ "XAE\n\x13\0\0", 72, -EPROTO, "not an OProfile sample file" },
		{ "DAE\n\x13\0\0", 71, -EPROTO, "truncated: expected 72 bytes of header, got 71" },
		{ "DAE\n\x12\0\0", 87, -EPROTO, "truncated: expected 88 bytes of header, got 87" },
		{ "DAE\n\x11\0\0", 88, -ENOTSUP, "version 0x11" },
		{ "DAE\n\x14\0\0", 88, -ENOTSUP, "version 0x14" },
		{ "DAE\n\0\0\0\x13", 88, -ENOTSUP, "byte order" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned char bytes[SAMPLE_HEADER_SIZE_MAX] = { 0 };
		struct sample_header h = { .version = 77 };
		struct op_error e = { "" };
		size_t size = 5;
		int err;

		memcpy(bytes, rows[i].start, 8);
		err = sample_header_decode(bytes, rows[i].n, &h, &size, &e);
		CHECK(err == rows[i].err, "row %zu: %d", i, err);
		CHECK(strstr(e.text, rows[i].says), "row %zu: '%s'", i, e.text);
		CHECK(h.version == 77 && size == 5, "row %zu: output changed", i);
	}
}

TEST(read_names_the_file)
{
	struct op_error e = { "" };
	struct sample_header h;
	size_t size;

	tmpdir_make();
	put_text(tmpdir_path("f"), "something else altogether");
	CHECK(sample_header_read(tmpdir_path("f"), &h, &size, &e) == -EPROTO &&
	      strstr(e.text, tmpdir_path("f")), "%s", e.text);
	CHECK(sample_header_read(tmpdir_path("g"), &h, &size, &e) == -ENOENT &&
	      strstr(e.text, "No such file"), "%s", e.text);
}

TEST(unknown_version_is_not_written)
{
	struct sample_header h = { .version = 0x14 };
	unsigned char bytes[SAMPLE_HEADER_SIZE_MAX] = { 0 };

	CHECK(sample_header_encode(&h, bytes, sizeof(bytes)) == -ENOTSUP, "encode");
	CHECK(sample_header_store(&h, bytes) == -ENOTSUP && !bytes[0], "store");
}

TEST_MAIN()
