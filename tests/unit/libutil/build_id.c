// SPDX-License-Identifier: GPL-2.0-or-later
/* build_id.c - build IDs of notes and of all kinds of ELF files */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include "libutil/build_id.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define ID "\xde\xad\xbe\xef\x01\x02\x03\x04"
#define NOTE(order) order "GNU\0" ID
#define LITTLE	"\4\0\0\0\10\0\0\0\3\0\0\0"
#define BIG	"\0\0\0\4\0\0\0\10\0\0\0\3"
#define OTHER	"\5\0\0\0\1\0\0\0\3\0\0\0Linux\0\0\0x\0\0\0"
#define BYTES(s) s, sizeof(s) - 1

TEST(notes)
{
	static const struct {
		const char *bytes;
		size_t n;
		int err;
	} rows[] = {
		{ BYTES(NOTE(LITTLE)), 0 },
		{ BYTES(OTHER NOTE(LITTLE)), 0 },
		{ BYTES(""), -ENODATA },
		{ BYTES(OTHER), -ENODATA },
		{ BYTES(NOTE("\4\0\0\0\10\0\0\0\4\0\0\0")), -ENODATA },		/* type 4 */
		{ BYTES(NOTE("\4\0\0\0\0\0\0\0\3\0\0\0")), -ENODATA },		/* empty */
		{ BYTES(NOTE("\4\0\0\0\11\0\0\0\3\0\0\0")), -ENODATA },		/* past the end */
		{ BYTES(NOTE("\4\0\0\0\xff\xff\xff\xff\3\0\0\0")), -ENODATA },
		{ BYTES(NOTE("\xff\xff\xff\xff\10\0\0\0\3\0\0\0")), -ENODATA },
		{ BYTES(NOTE("\xfd\xff\xff\xff\xfd\xff\xff\xff\3\0\0\0")), -ENODATA },
		{ "\4\0\0\0\10\0\0\0\3\0\0", 11, -ENODATA },
	};
	char text[BUILD_ID_TEXT];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct build_id id = { .len = 0 };
		int err = build_id_read_notes(rows[i].bytes, rows[i].n, &id);

		CHECK(err == rows[i].err, "row %zu: %d", i, err);
		CHECK(!strcmp(build_id_text(&id, text), err ? "" : "deadbeef01020304"),
		      "row %zu: %s", i, text);
	}
}

/* Make a file of 32 or 64 @bits in either byte order, its note in a segment or a section. */
static size_t make_elf(unsigned char *f, int bits, bool big, bool section)
{
	size_t ehdr = bits == 64 ? 64 : 52, entry = section ? (bits == 64 ? 64 : 40) :
							       (bits == 64 ? 56 : 32);
	size_t note = ehdr + 2 * entry, n = sizeof(NOTE(BIG)) - 1;
	size_t last = big ? 1 : 0;	/* where the low byte of a 16-bit number lies */

	memset(f, 0, 512);
	memcpy(f, ELFMAG, SELFMAG);
	f[EI_CLASS] = bits == 64 ? ELFCLASS64 : ELFCLASS32;
	f[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
#define PUT(at, size, value) (f[big ? (at) + (size) - 1 : (at)] = (unsigned char)(value))
	if (section) {
		PUT(bits == 64 ? 40 : 32, bits / 8, ehdr);		/* e_shoff */
		PUT(bits == 64 ? 58 : 46, 2, entry);
		PUT(bits == 64 ? 60 : 48, 2, 2);
		PUT(ehdr + entry + 4, 4, SHT_NOTE);
		PUT(ehdr + entry + (bits == 64 ? 24 : 16), bits / 8, note);
		PUT(ehdr + entry + (bits == 64 ? 32 : 20), bits / 8, n);
	} else {
		PUT(bits == 64 ? 32 : 28, bits / 8, ehdr);		/* e_phoff */
		PUT(bits == 64 ? 54 : 42, 2, entry);
		PUT(bits == 64 ? 56 : 44, 2, 2);
		PUT(ehdr, 4, PT_LOAD);
		PUT(ehdr + entry, 4, PT_NOTE);
		PUT(ehdr + entry + (bits == 64 ? 8 : 4), bits / 8, note);
		PUT(ehdr + entry + (bits == 64 ? 32 : 16), bits / 8, n);
	}
#undef PUT
	(void)last;
	memcpy(f + note, big ? NOTE(BIG) : NOTE(LITTLE), n);
	return note + n;
}

TEST(kinds_of_elf)
{
	unsigned char f[512];
	char text[BUILD_ID_TEXT];

	tmpdir_make();
	for (int kind = 0; kind < 8; kind++) {
		size_t n = make_elf(f, kind & 1 ? 64 : 32, kind & 2, kind & 4);
		struct build_id id = { .len = 0 };
		int err;

		put_file(tmpdir_path("elf"), f, n);
		err = build_id_read(tmpdir_path("elf"), &id);
		CHECK(!err && !strcmp(build_id_text(&id, text), "deadbeef01020304"), "kind %d: %d",
		      kind, err);
		/* truncated anywhere: not an ELF file, or without a build ID */
		for (size_t cut = 0; cut < n; cut++) {
			put_file(tmpdir_path("elf"), f, cut);
			err = build_id_read(tmpdir_path("elf"), &id);
			CHECK(err == -ENODATA || err == -ENOEXEC, "kind %d, %zu bytes: %d", kind,
			      cut, err);
		}
	}
}

TEST(not_an_elf_file)
{
	struct build_id id;

	tmpdir_make();
	put_text(tmpdir_path("f"), "#!/bin/sh\n");
	CHECK(build_id_read(tmpdir_path("f"), &id) == -ENOEXEC, "script");
	put_text(tmpdir_path("f"), "");
	CHECK(build_id_read(tmpdir_path("f"), &id) == -ENOEXEC, "empty");
	CHECK(build_id_read(tmpdir_path("none"), &id) == -ENOENT, "none");
	CHECK(build_id_read(tmpdir, &id) == -EISDIR, "folder");
}

/* The largest offsets and counts; in a sparse file they can be within its length. */
TEST(hostile_numbers)
{
	struct build_id id;
	unsigned char f[512];
	int err;

	tmpdir_make();
	for (size_t at = EI_NIDENT; at < 64 + 2 * 56; at++) {
		make_elf(f, 64, false, false);
		memset(f + at, 0xff, 8);
		put_file(tmpdir_path("elf"), f, sizeof(f));
		if (truncate(tmpdir_path("elf"), (off_t)1 << 40))
			SKIP("large files are not supported");
		err = build_id_read(tmpdir_path("elf"), &id);
		CHECK(err == 0 || err == -ENODATA, "byte %zu: %d", at, err);
	}
}

TEST(file_position_stays)
{
	struct build_id id;
	unsigned char f[512];
	int fd;

	tmpdir_make();
	put_file(tmpdir_path("elf"), f, make_elf(f, 64, false, false));
	fd = open(tmpdir_path("elf"), O_RDONLY);
	lseek(fd, 17, SEEK_SET);
	CHECK(!build_id_read_fd(fd, &id) && lseek(fd, 0, SEEK_CUR) == 17, "position");
	close(fd);
}

TEST(same_as_readelf)
{
	char command[5000], want[200] = "", text[BUILD_ID_TEXT];
	struct build_id id;
	FILE *p;
	int err;

	snprintf(command, sizeof(command),
		 "readelf -n /proc/%d/exe 2>/dev/null | sed -n 's/.*Build ID: //p'", getpid());
	p = popen(command, "r");
	if (!p || !fgets(want, sizeof(want), p) || pclose(p) || !*want)
		SKIP("readelf or the program's build ID is missing");
	want[strcspn(want, "\n")] = '\0';
	err = build_id_read("/proc/self/exe", &id);
	CHECK(!err && !strcmp(build_id_text(&id, text), want), "%d %s, not %s", err, text, want);
}

TEST_MAIN()
