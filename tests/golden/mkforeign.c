/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkforeign.c - sample files as another machine would have written them
 *
 *	mkforeign VERSION			this machine's abi file of that version on stdout
 *	mkforeign ABI SAMPLES FOREIGN		SAMPLES, of this machine, laid out as ABI says
 *
 * Writes, so it shares nothing with what opimport reads with but the names of the abi's fields.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/odb/odb.h"
#include "libdb/session/abi.h"
#include "libdb/session/header.h"
#include "libutil/message.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"

static struct abi abi;

static void put(unsigned char *record, enum abi_field offset, enum abi_field size, uint64_t n)
{
	unsigned int bytes = abi.value[size];

	for (unsigned int i = 0; i < bytes; i++) {
		unsigned int at = abi.value[ABI_LITTLE_ENDIAN] ? i : bytes - 1 - i;

		record[abi.value[offset] + at] = (unsigned char)(n >> 8 * i);
	}
}

static void put_header(unsigned char *header, const struct sample_header *h)
{
	uint64_t speed;

	memcpy(&speed, &h->cpu_mhz, sizeof(speed));
	memcpy(header + abi.value[ABI_HEADER_MAGIC], "DAE\n", 4);
	put(header, ABI_HEADER_VERSION, ABI_SIZEOF_U32, h->version);
	put(header, ABI_HEADER_CPU_TYPE, ABI_SIZEOF_U32, h->cpu_type);
	put(header, ABI_HEADER_EVENT, ABI_SIZEOF_U32, h->event);
	put(header, ABI_HEADER_UNIT_MASK, ABI_SIZEOF_U32, h->unit_mask);
	put(header, ABI_HEADER_COUNT, ABI_SIZEOF_U32, h->count);
	put(header, ABI_HEADER_IS_KERNEL, ABI_SIZEOF_U32, h->is_kernel);
	put(header, ABI_HEADER_CPU_SPEED, ABI_SIZEOF_DOUBLE, speed);
	put(header, ABI_HEADER_MTIME, ABI_SIZEOF_U64, h->mtime);
	put(header, ABI_HEADER_CG_TO_IS_KERNEL, ABI_SIZEOF_U32, h->cg_to_is_kernel);
	put(header, ABI_HEADER_ANON_START, ABI_SIZEOF_U64, h->anon_start);
	put(header, ABI_HEADER_CG_TO_ANON_START, ABI_SIZEOF_U64, h->cg_to_anon_start);
}

static void fail(const char *what, const char *name)
{
	report_error("%s: '%s'", what, name);
	exit(1);
}

static void write_foreign(const struct sample_header *h, const struct odb_snapshot *s,
			  const char *path)
{
	const unsigned int *v = abi.value;
	size_t slots = 128, before = v[ABI_SIZEOF_HEADER] + v[ABI_SIZEOF_DESCR], size;
	FILE *f = fopen(path, "we");
	unsigned char *bytes;

	while (slots <= s->nr_nodes)
		slots *= 2;
	size = before + slots * (v[ABI_SIZEOF_NODE] + v[ABI_SIZEOF_INDEX]);
	bytes = xcalloc(1, size);
	put_header(bytes, h);
	put(bytes + v[ABI_SIZEOF_HEADER], ABI_DESCR_SIZE, ABI_SIZEOF_NODE_NR, slots);
	put(bytes + v[ABI_SIZEOF_HEADER], ABI_DESCR_CURRENT_SIZE, ABI_SIZEOF_NODE_NR,
	    s->nr_nodes + 1);
	for (uint32_t i = 0; i < s->nr_nodes; i++) {
		unsigned char *node = bytes + before + (i + 1) * (size_t)v[ABI_SIZEOF_NODE];

		put(node, ABI_NODE_KEY, ABI_SIZEOF_KEY, s->nodes[i].key);
		put(node, ABI_NODE_VALUE, ABI_SIZEOF_VALUE, s->nodes[i].count);
	}
	if (!f || fwrite(bytes, 1, size, f) != size || fclose(f))
		fail("cannot write", path);
	free(bytes);
}

static void print_abi(const char *version)
{
	struct strbuf text = STRBUF_INIT;
	uint64_t n;

	if (number_parse_u64(version, &n))
		fail("no version", version);
	abi_native((uint32_t)n, &abi);
	abi_format(&abi, &text);
	fputs(text.text, stdout);
	strbuf_free(&text);
}

int main(int argc, char **argv)
{
	struct odb_snapshot snapshot;
	struct sample_header header;
	struct op_error e = { "" };
	size_t size;

	if (argc == 2) {
		print_abi(argv[1]);
		return 0;
	}
	if (argc != 4)
		fail("three arguments", "mkforeign");
	if (abi_read(argv[1], &abi, &e) || sample_header_read(argv[2], &header, &size, &e) ||
	    odb_read(argv[2], size, &snapshot, &e))
		fail(e.text, argv[1]);
	write_foreign(&header, &snapshot, argv[3]);
	odb_snapshot_free(&snapshot);
	return 0;
}
