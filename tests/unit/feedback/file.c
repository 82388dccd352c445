/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file.c - binary files: both byte orders, each byte damaged, concurrent adding; odd text */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "feedback/xprof/add.h"
#include "feedback/xprof/crc32c.h"
#include "feedback/xprof/file.h"
#include "libutil/file.h"
#include "tests/tap.h"

static const struct xprof_options options;

static const char text[] =
	"PROFILE-FEEDBACK-DATA: 4.4 2 1 1 1\n"
	"OBJFILE: /o/a.o 1 7 8 2 0x9 1\n"
	"max 3\n"
	"sum 4\n"
	"PROC: main 0x1f 2 1 1 1 2 2 2\n"
	"1 1\n"
	"2 3\n"
	"VP_PROC 1 3 f:/o/b.o\n"
	"VP_PROC 1 0\n"
	"B1: 1\n"
	"B2: 0\n"
	"E1 0 B1 B2\n"
	"E2 2 B2 B2\n"
	"S1: B1 10 /o/a.c\n"
	"S2: B2 11:3\n"
	"OBJFILE: /o/b.o 1 7 8 0 0xa 0\n"
	"PROC: f 0x2 0 0 0 1 0 0 0\n"
	"PROGRAM: /o/prog 2 1\n"
	"OBJREF: /o/a.o\n"
	"OBJREF: /o/b.o\n"
	"COMDAT_PROC: f:/o/b.o\n"
	"SRCFILE: /o/a.c 1\n"
	"SRCLINE: 10 1\n"
	"B1 1 main:/o/a.o\n";

static char dir[] = "/tmp/xprof-file-XXXXXX";

static struct xprof *read_text(const char *t)
{
	struct op_error e = { "" };
	struct xprof *x = NULL;

	if (xprof_text_read("text", t, strlen(t), &options, &x, &e)) {
		printf("# %s\n", e.text);
		exit(1);
	}
	return x;
}

static char *write_text(const struct xprof *x)
{
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	xprof_text_write(x, f);
	fclose(f);
	return out;
}

static void encode(const char *t, bool swapped, struct strbuf *out)
{
	struct xprof *x = read_text(t), *packed = xprof_pack(x);

	xprof_file_encode(packed, swapped, out);
	xprof_free(packed);
	xprof_free(x);
}

static int decode(const struct strbuf *bytes, size_t size, struct xprof **ret, struct op_error *e)
{
	char *path = path_join(dir, "file");
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), err;

	if (fd < 0 || file_write_fd(fd, bytes->text, size))
		exit(1);
	close(fd);
	err = xprof_file_read(path, &options, ret, e);
	unlink(path);
	free(path);
	return err;
}

/* Well-known check values. */
TEST(checksum)
{
	unsigned char zeros[32] = { 0 };

	CHECK(crc32c(0, "123456789", 9) == 0xe3069283, "%x", crc32c(0, "123456789", 9));
	CHECK(crc32c(0, zeros, 32) == 0x8a9136aa, "32 zeros");
	CHECK(crc32c(crc32c(0, "1234", 4), "56789", 5) == 0xe3069283, "in pieces");
}

TEST(both_byte_orders)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct strbuf bytes = STRBUF_INIT, again = STRBUF_INIT;
		struct op_error e = { "" };
		struct xprof *x = NULL, *packed;
		char *got;

		encode(text, swapped, &bytes);
		CHECK(bytes.text[swapped ? 8 : 11] == 1, "byte order mark");
		CHECK(!decode(&bytes, bytes.len, &x, &e), "%s", e.text);
		got = write_text(x);
		CHECK(!strcmp(got, text), "%s", got);
		packed = xprof_pack(x);
		xprof_file_encode(packed, swapped, &again);
		CHECK(again.len == bytes.len && !memcmp(again.text, bytes.text, bytes.len),
		      "the same file again");
		xprof_free(packed);
		xprof_free(x);
		free(got);
		strbuf_free(&bytes);
		strbuf_free(&again);
	}
}

TEST(each_damaged_byte_is_found)
{
	struct strbuf bytes = STRBUF_INIT;
	size_t missed = 0;

	encode(text, false, &bytes);
	for (size_t i = 0; i < bytes.len; i++) {
		for (int flip = 1; flip < 256;
		     flip = flip == 1 ? 0x80 : flip == 0x80 ? 0xff : 256) {
			struct op_error e = { "" };
			struct xprof *x;

			bytes.text[i] ^= flip;
			if (!decode(&bytes, bytes.len, &x, &e)) {
				xprof_free(x);
				missed++;
			}
			missed += !strstr(e.text, ": offset ");
			bytes.text[i] ^= flip;
		}
	}
	CHECK(!missed, "%zu changes were missed", missed);
	strbuf_free(&bytes);
}

TEST(truncated_anywhere)
{
	struct strbuf bytes = STRBUF_INIT;
	struct op_error e = { "" };
	size_t missed = 0;
	struct xprof *x;

	encode(text, false, &bytes);
	for (size_t size = 0; size < bytes.len; size++)
		missed += !decode(&bytes, size, &x, &e);
	CHECK(!missed, "%zu lengths were accepted", missed);
	strbuf_add(&bytes, "more");
	CHECK(decode(&bytes, bytes.len, &x, &e), "trailing garbage was accepted");
	strbuf_free(&bytes);
}

/* Invalid numbers in a file whose checksums are right. */
TEST(hostile_numbers)
{
	const size_t crc_at = offsetof(struct xprof_file_header, crc);
	size_t refused = 0, tried = 0;

	for (int array = 0; array < NR_XPROF_ARRAYS; array++) {
		struct strbuf bytes = STRBUF_INIT;
		struct xprof_file_section s;
		size_t at = sizeof(struct xprof_file_header) + array * sizeof(s);

		encode(text, false, &bytes);
		memcpy(&s, bytes.text + at, sizeof(s));
		for (size_t i = 0; i + 4 <= s.size; i += 4) {
			uint32_t old, huge = 0xfffffff0, header_crc = 0;
			struct op_error e = { "" };
			struct xprof_file_header h;
			struct xprof *x;

			memcpy(&old, bytes.text + s.offset + i, 4);
			memcpy(bytes.text + s.offset + i, &huge, 4);
			s.crc = crc32c(0, bytes.text + s.offset, s.size + (-s.size & 7));
			memcpy(bytes.text + at, &s, sizeof(s));
			memcpy(&h, bytes.text, sizeof(h));
			memcpy(bytes.text + crc_at, &header_crc, 4);
			header_crc = crc32c(0, bytes.text, h.header_size);
			memcpy(bytes.text + crc_at, &header_crc, 4);
			tried++;
			if (decode(&bytes, bytes.len, &x, &e))
				refused++;
			else
				xprof_free(x);
			memcpy(bytes.text + s.offset + i, &old, 4);
		}
		strbuf_free(&bytes);
	}
	CHECK(refused > tried / 2, "%zu of %zu", refused, tried);
}

TEST(adding_twice_doubles_counts)
{
	struct xprof *x = read_text(text), *read = NULL;
	char *folder = path_join(dir, "twice.profile"), *got;
	struct op_error e = { "" };
	uint32_t nr_reset;

	CHECK(!xprof_dir_store(folder, x, XPROF_NEW, &options, &nr_reset, &e), "%s", e.text);
	CHECK(xprof_dir_store(folder, x, XPROF_NEW, &options, &nr_reset, &e) == -EEXIST, "exists");
	CHECK(!xprof_dir_store(folder, x, XPROF_ADD, &options, &nr_reset, &e), "%s", e.text);
	CHECK(!xprof_dir_read(folder, XPROF_FEEDBACK, &options, &read, &e), "%s", e.text);
	got = write_text(read);
	CHECK(strstr(got, "max 6\nsum 8\n") && strstr(got, "1 2\n2 6\nVP_PROC 1 6 f:/o/b.o\n") &&
	      strstr(got, "B1 2 main:/o/a.o\n"), "%s", got);
	free(got);
	free(folder);
	xprof_free(read);
	xprof_free(x);
}

TEST(concurrent_adding)
{
	enum { RUNS = 8, TIMES = 5 };
	char *folder = path_join(dir, "many.profile");
	struct xprof *x = read_text(text), *read = NULL;
	struct op_error e = { "" };
	uint32_t nr_reset;

	for (int i = 0; i < RUNS; i++) {
		if (fork())
			continue;
		for (int k = 0; k < TIMES; k++)
			if (xprof_dir_store(folder, x, XPROF_ADD, &options, &nr_reset, &e))
				_exit(1);
		_exit(0);
	}
	for (int i = 0, status; i < RUNS; i++)
		CHECK(wait(&status) > 0 && !status, "process %d", i);
	CHECK(!xprof_dir_read(folder, XPROF_FEEDBACK, &options, &read, &e), "%s", e.text);
	CHECK(xprof_counter(read, &read->procs[0], 2) == 3 * RUNS * TIMES, "counts were lost");
	xprof_free(read);
	xprof_free(x);
	free(folder);
}

TEST(recompiled_object)
{
	static const char later[] =
		"PROFILE-FEEDBACK-DATA: 4.4 1 0 0 0\n"
		"OBJFILE: /o/a.o 1 7 9 0 0x9 0\n"
		"PROC: main 0x1f 1 0 0 1 1 0 0\n"
		"1 5\n"
		"B1: 1\n";
	struct xprof *old = read_text(text), *new = read_text(later), *sum, *read = NULL;
	struct op_error e = { "" };
	uint32_t nr_reset;
	char *got;

	sum = xprof_add(old, new, &nr_reset);
	got = write_text(sum);
	CHECK(nr_reset == 1, "%u", nr_reset);
	CHECK(strstr(got, "OBJFILE: /o/a.o 1 7 9 0 0x9 0\nPROC: main 0x1f 1 0 0 1 1 0 0\n1 5\n") &&
	      strstr(got, "OBJFILE: /o/b.o 1 7 8 0 0xa 0\n"), "%s", got);
	CHECK(!xprof_text_read("sum", got, strlen(got), &options, &read, &e), "%s", e.text);
	free(got);
	xprof_free(read);
	xprof_free(sum);
	xprof_free(new);
	xprof_free(old);
}

/* A procedure that has not run has no counters [XP-8]; counters saturate. */
TEST(add_to_a_procedure_without_counters)
{
	static const char idle[] =
		"PROFILE-FEEDBACK-DATA: 4.4 1 0 0 0\n"
		"OBJFILE: /o/c.o 1 7 9 0 0x9 0\n"
		"PROC: f 0x1f 0 0 0 1 1 0 0\n"
		"B1: 0\n";
	static const char run[] =
		"PROFILE-FEEDBACK-DATA: 4.4 1 0 0 0\n"
		"OBJFILE: /o/c.o 1 7 9 0 0x9 0\n"
		"PROC: f 0x1f 1 0 0 1 1 0 0\n"
		"1 18446744073709551615\n"
		"B1: 1\n";
	struct xprof *a = read_text(idle), *b = read_text(run), *sum, *more;
	uint32_t nr_reset;
	char *got;

	sum = xprof_add(a, b, &nr_reset);
	more = xprof_add(sum, b, &nr_reset);
	got = write_text(more);
	CHECK(!strcmp(got, run), "not saturated: %s", got);
	free(got);
	xprof_free(more);
	xprof_free(sum);
	xprof_free(b);
	xprof_free(a);
}

/* A path with a NUL must not be compared past the end of a string. */
TEST(nul_in_a_path)
{
	for (int len = 1; len < 300; len++) {
		char name[300] = "", t[1000] = "";
		struct op_error e = { "" };
		struct xprof *x;
		size_t size;

		memset(name, 'p', len);
		size = (size_t)snprintf(t, sizeof(t), "PROFILE-FEEDBACK-DATA: 4.4 1 1 0 0\n"
					"OBJFILE: a 0 0 0 0 0x0 0\nPROGRAM: %s 1 0\nOBJREF: a",
					name);
		CHECK(xprof_text_read("text", t, size + 1 + len, &options, &x, &e) == -EPROTO,
		      "path of %d bytes", len + 2);
	}
}

int main(int argc, char **argv)
{
	int status;

	if (!mkdtemp(dir))
		return 1;
	status = tap_main(argc, argv);
	file_remove_tree(dir);
	return status;
}
