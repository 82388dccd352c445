// SPDX-License-Identifier: GPL-2.0-or-later
/* file.c - unpack profiles with a limit [PF-7], detect formats, refuse unknown files */
#include <zlib.h>

#include "formats/all_formats.h"
#include "formats/file/gunzip.h"
#include "tests/unit/tmpdir.h"

static char warned[600];

static void keep_warning(void *context, const char *text)
{
	(void)context;
	snprintf(warned, sizeof(warned), "%s", text);
}

static const struct format_warnings warnings = { keep_warning, NULL };

static size_t pack(const unsigned char *bytes, size_t size, unsigned char *to, size_t room)
{
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)bytes, .avail_in = (uInt)size,
		       .next_out = to, .avail_out = (uInt)room };

	deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
	CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END, "packed");
	deflateEnd(&z);
	return room - z.avail_out;
}

static const char text[] = "what stands in a profile, and what stands in it again and again";

TEST(all_members_are_unpacked)
{
	struct format_read_options options = { 0 };
	unsigned char packed[600], *out;
	struct op_error e = { "" };
	size_t half = pack((const unsigned char *)text, 30, packed, sizeof(packed));
	size_t size = half + pack((const unsigned char *)text + 30, sizeof(text) - 30,
				  packed + half, sizeof(packed) - half);
	size_t out_size;

	CHECK(is_gzip(packed, size) && !is_gzip((const unsigned char *)text, 3), "known");
	CHECK(!profile_gunzip(packed, size, &options, &out, &out_size, &e), "%s", e.text);
	CHECK(out_size == sizeof(text) && !memcmp(out, text, out_size), "whole");
	free(out);
}

TEST(malformed_gzip_is_refused_or_salvaged)
{
	struct format_read_options options = { .warnings = &warnings }, salvage = options;
	unsigned char packed[600], *out = NULL;
	struct op_error e = { "" };
	size_t size = pack((const unsigned char *)text, sizeof(text), packed, sizeof(packed));
	size_t out_size;

	CHECK(profile_gunzip(packed, size - 9, &options, &out, &out_size, &e) == -EPROTO, "cut");
	CHECK(strstr(e.text, "truncated gzip data"), "%s", e.text);
	salvage.salvage = true;
	CHECK(!profile_gunzip(packed, size - 9, &salvage, &out, &out_size, &e), "%s", e.text);
	CHECK(out_size && !memcmp(out, text, out_size), "kept");
	CHECK(strstr(warned, "kept"), "%s", warned);
	free(out);
	packed[size - 6] ^= 1;
	CHECK(profile_gunzip(packed, size, &options, &out, &out_size, &e) == -EPROTO, "checksum");
	CHECK(strstr(e.text, "offset") && strstr(e.text, "corrupt gzip data: incorrect data check"),
	      "%s", e.text);
}

TEST(trailing_garbage_is_warned_of)
{
	struct format_read_options options = { .warnings = &warnings };
	unsigned char packed[600] = "", *out = NULL;
	struct op_error e = { "" };
	size_t size = pack((const unsigned char *)text, sizeof(text), packed, sizeof(packed));
	size_t out_size;

	CHECK(!profile_gunzip(packed, size + 5, &options, &out, &out_size, &e), "%s", e.text);
	CHECK(out_size == sizeof(text), "%zu", out_size);
	CHECK(strstr(warned, "5 bytes of trailing garbage"), "%s", warned);
	free(out);
	options.strict = true;
	CHECK(profile_gunzip(packed, size + 5, &options, &out, &out_size, &e) == -EPROTO, "strict");
}

TEST(other_methods_are_refused)
{
	struct format_read_options options = { .warnings = &warnings }, salvage = options;
	unsigned char packed[600], *out = NULL;
	struct op_error e = { "" };
	size_t first = pack((const unsigned char *)text, sizeof(text), packed, sizeof(packed));
	size_t size = first + pack((const unsigned char *)text, sizeof(text), packed + first,
				   sizeof(packed) - first);
	size_t out_size;

	packed[first + 2] = 7;
	CHECK(profile_gunzip(packed + first, size - first, &options, &out, &out_size, &e) ==
	      -EPROTO, "the first one");
	CHECK(!strcmp(e.text, "offset 2: unsupported gzip method 7: expected 8 (deflate)"),
	      "%s", e.text);
	CHECK(profile_gunzip(packed, size, &options, &out, &out_size, &e) == -EPROTO,
	      "a later one");
	CHECK(!out, "untouched");
	salvage.salvage = true;
	CHECK(!profile_gunzip(packed, size, &salvage, &out, &out_size, &e), "%s", e.text);
	CHECK(out_size == sizeof(text) && !memcmp(out, text, out_size), "kept what precedes it");
	CHECK(strstr(warned, "method 7"), "%s", warned);
	free(out);
	out = NULL;
	CHECK(profile_gunzip(packed, 2, &options, &out, &out_size, &e) == -EPROTO, "only a head");
	CHECK(strstr(e.text, "truncated gzip data"), "%s", e.text);
}

TEST(too_much_unpacked_data_is_refused)
{
	struct format_read_options options = { 0 };
	size_t size = 20 << 20, packed_size, out_size;
	unsigned char *zeros = calloc(1, size), *packed = malloc(size), *out;
	struct op_error e = { "" };

	packed_size = pack(zeros, size, packed, size);
	CHECK(packed_size < 32768, "%zu", packed_size);
	CHECK(profile_gunzip(packed, packed_size, &options, &out, &out_size, &e) == -EFBIG,
	      "refused");
	CHECK(strstr(e.text, "64 times the file's size"), "%s", e.text);
	packed_size = pack(zeros, (1 << 20) - 1, packed, size);
	CHECK(!profile_gunzip(packed, packed_size, &options, &out, &out_size, &e), "%s", e.text);
	CHECK(out_size == (1 << 20) - 1, "%zu", out_size);
	free(out);
	free(zeros);
	free(packed);
}

static const struct profile_format only_written = { .name = "only-written" };

TEST(unknown_files_are_refused)
{
	struct format_read_options options = { 0 };
	struct op_error e = { "" };
	unsigned char packed[100];
	struct profile *p = NULL;
	char *path;
	size_t size;

	tmpdir_make();
	path = tmpdir_path("file");
	CHECK(profile_read_file(path, NULL, &options, &p, &e) == -ENOENT, "%s", e.text);
	put_text(path, "");
	CHECK(profile_read_file(path, NULL, &options, &p, &e) == -EINVAL, "empty");
	CHECK(strstr(e.text, ": the file is empty"), "%s", e.text);
	put_text(path, "\001\002\003");
	CHECK(profile_read_file(path, NULL, &options, &p, &e) == -EINVAL, "unknown");
	CHECK(strstr(e.text, ": unknown format; name it with --from: callgrind, "), "%s", e.text);
	CHECK(strstr(e.text, "speedscope or v8cpuprofile"), "%s", e.text);
	CHECK(!p, "untouched");
	put_text(path, "main;work 3\n");
	CHECK(!profile_read_file(path, NULL, &options, &p, &e), "%s", e.text);
	CHECK(!strcmp(profile_text(p, p->origin), "folded"), "detected");
	CHECK(profile_total(p, 0) == 3, "total");
	profile_free(p);
	size = pack((const unsigned char *)"main;work 4\n", 12, packed, sizeof(packed));
	put_file(path, packed, size);
	CHECK(!profile_read_file(path, NULL, &options, &p, &e), "%s", e.text);
	CHECK(profile_total(p, 0) == 4, "packed");
	profile_free(p);
	CHECK(profile_read_file(path, &only_written, &options, &p, &e) == -EINVAL, "no reader");
	CHECK(strstr(e.text, "cannot be read, only written"), "%s", e.text);
}

TEST(formats_are_sorted_and_complete)
{
	CHECK(!profile_format_find("no such format"), "found");
	for (const struct profile_format *const *f = profile_formats; *f; f++) {
		CHECK(profile_format_find((*f)->name) == *f, "%s", (*f)->name);
		CHECK((*f)->suffix && (*f)->text, "%s is described", (*f)->name);
		CHECK((*f)->read || (*f)->write, "%s has a reader or a writer", (*f)->name);
		CHECK(!f[1] || strcmp((*f)->name, f[1]->name) < 0, "%s: order", (*f)->name);
	}
}

static void suffixed(const struct profile_format *const *list, const char *path,
		     const char *expected)
{
	const struct profile_format *f = profile_format_by_suffix(list, path);

	CHECK(expected ? f && !strcmp(f->name, expected) : !f, "%s: %s", path, f ? f->name : "-");
}

TEST(the_longest_suffix_counts)
{
	const struct profile_format percent = {
		.name = "percent", .suffix = "percent.folded", .write = format_folded.write,
	};
	const struct profile_format *const last[] = { &format_folded, &percent, NULL };
	const struct profile_format *const first[] = { &percent, &format_folded, NULL };

	suffixed(last, "out.percent.folded", "percent");
	suffixed(first, "out.percent.folded", "percent");
	suffixed(last, "percent.folded", "percent");
	suffixed(first, "10percent.folded", "folded");
	suffixed(first, "a/out.folded", "folded");
	suffixed(last, "a.folded/out", NULL);
	suffixed(last, ".folded", NULL);
	suffixed(last, "outfolded", NULL);
	suffixed(profile_formats, "x.speedscope.json", "speedscope");
	suffixed(profile_formats, "x.json", NULL);
}

TEST(columns_fit_the_longest_name)
{
	const struct profile_format long_name = {
		.name = "a-name-of-22-characters", .suffix = "s", .text = "text",
		.write = format_folded.write,
	};
	const struct profile_format *const list[] = { &format_folded, &long_name, NULL };
	char *printed = NULL;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	profile_formats_print(list, true, out);
	fclose(out);
	CHECK(!strncmp(printed, "folded                  folded          ", 40) &&
	      strstr(printed, "\na-name-of-22-characters s               text\n"), "%s", printed);
	free(printed);
}

TEST_MAIN()
