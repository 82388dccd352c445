// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * abi.c - SD/abi: how a machine lays out sample files [SF-40]
 *
 * One "name value" a line; the names are OProfile's, of its types and fields.
 */
#include "libdb/session/abi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libdb/session/header.h"
#include "libdb/session/session.h"
#include "libdb/session/text_file.h"
#include "libutil/file.h"

#define IS_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define ABI_LIMIT (64 * 1024)	/* bytes of a file */

static const struct {
	const char *name;
	unsigned int v1x, v099;
} layout[NR_ABI_FIELDS] = {
	[ABI_SIZEOF_DOUBLE] = { "sizeof_double", 8, 8 },
	[ABI_SIZEOF_U64] = { "sizeof_u64", 8, 8 },
	[ABI_SIZEOF_U8] = { "sizeof_u8", 1, 1 },
	[ABI_SIZEOF_U32] = { "sizeof_u32", 4, 4 },
	[ABI_SIZEOF_INT] = { "sizeof_int", 4, 4 },
	[ABI_SIZEOF_UNSIGNED_INT] = { "sizeof_unsigned_int", 4, 4 },
	[ABI_SIZEOF_KEY] = { "sizeof_odb_key_t", 8, 8 },
	[ABI_SIZEOF_INDEX] = { "sizeof_odb_index_t", 4, 4 },
	[ABI_SIZEOF_VALUE] = { "sizeof_odb_value_t", 4, 4 },
	[ABI_SIZEOF_NODE_NR] = { "sizeof_odb_node_nr_t", 4, 4 },
	[ABI_SIZEOF_DESCR] = { "sizeof_odb_descr_t", 32, 32 },
	[ABI_SIZEOF_NODE] = { "sizeof_odb_node_t", 16, 16 },
	[ABI_SIZEOF_HEADER] = { "sizeof_struct_opd_header", SAMPLE_HEADER_SIZE,
				SAMPLE_HEADER_SIZE_099 },
	[ABI_NODE_KEY] = { "offsetof_node_key", 0, 0 },
	[ABI_NODE_VALUE] = { "offsetof_node_value", 8, 8 },
	[ABI_NODE_NEXT] = { "offsetof_node_next", 12, 12 },
	[ABI_DESCR_SIZE] = { "offsetof_descr_size", 0, 0 },
	[ABI_DESCR_CURRENT_SIZE] = { "offsetof_descr_current_size", 4, 4 },
	[ABI_HEADER_MAGIC] = { "offsetof_header_magic", 0, 0 },
	[ABI_HEADER_VERSION] = { "offsetof_header_version", 4, 4 },
	[ABI_HEADER_CPU_TYPE] = { "offsetof_header_cpu_type", 8, 8 },
	[ABI_HEADER_EVENT] = { "offsetof_header_ctr_event", 12, 12 },
	[ABI_HEADER_UNIT_MASK] = { "offsetof_header_ctr_um", 16, 16 },
	[ABI_HEADER_COUNT] = { "offsetof_header_ctr_count", 20, 20 },
	[ABI_HEADER_IS_KERNEL] = { "offsetof_header_is_kernel", 24, 24 },
	[ABI_HEADER_CPU_SPEED] = { "offsetof_header_cpu_speed", 32, 32 },
	[ABI_HEADER_MTIME] = { "offsetof_header_mtime", 40, 40 },
	[ABI_HEADER_CG_TO_IS_KERNEL] = { "offsetof_header_cg_to_is_kernel", 48, 48 },
	[ABI_HEADER_ANON_START] = { "offsetof_header_anon_start", 56, 64 },
	[ABI_HEADER_CG_TO_ANON_START] = { "offsetof_header_cg_to_anon_start", 64, 72 },
	[ABI_LITTLE_ENDIAN] = { "little_endian", IS_LITTLE_ENDIAN, IS_LITTLE_ENDIAN },
};

void abi_native(uint32_t sample_version, struct abi *ret)
{
	for (size_t i = 0; i < NR_ABI_FIELDS; i++)
		ret->value[i] = sample_version == SAMPLE_VERSION_099 ? layout[i].v099
								     : layout[i].v1x;
}

bool abi_equal(const struct abi *a, const struct abi *b)
{
	return !memcmp(a->value, b->value, sizeof(a->value));
}

void abi_format(const struct abi *abi, struct strbuf *out)
{
	for (size_t i = 0; i < NR_ABI_FIELDS; i++)
		strbuf_addf(out, "%s %u\n", layout[i].name, abi->value[i]);
}

const char *abi_field_name(enum abi_field field)
{
	return layout[field].name;
}

int session_abi_write(const char *session_dir, uint32_t sample_version)
{
	struct strbuf out = STRBUF_INIT;
	char *path = path_join(session_dir, "abi");
	struct abi abi;
	int err;

	abi_native(sample_version, &abi);
	abi_format(&abi, &out);
	err = file_write_atomic(path, out.text, out.len, 0644);
	free(path);
	strbuf_free(&out);
	return err;
}

struct parsed {
	struct abi abi;
	uint64_t seen;		/* bits: fields that have a line */
};

static const char *parse_line(void *context, char *line)
{
	struct parsed *p = context;
	char *value = strchr(line, ' ');
	uint64_t n;

	if (!value || value == line)
		return "expected 'NAME VALUE'";
	*value++ = '\0';
	if (!text_parse_decimal(value, &n) || n > UINT16_MAX)
		return "expected a number up to 65535";
	for (size_t i = 0; i < NR_ABI_FIELDS; i++) {
		if (strcmp(layout[i].name, line))
			continue;
		if (p->seen & UINT64_C(1) << i && i != ABI_SIZEOF_U8)
			return "duplicate name";
		p->seen |= UINT64_C(1) << i;
		p->abi.value[i] = (unsigned int)n;
	}
	return NULL;
}

int abi_parse(char *text, size_t len, const char *name, struct abi *ret, struct op_error *e)
{
	struct text_lines lines = { text, text + len, name, TEXT_LAST_REFUSED, 0 };
	struct parsed p = {
		.abi.value[ABI_SIZEOF_U8] = 1,	/* not every version writes it */
		.seen = UINT64_C(1) << ABI_SIZEOF_U8,
	};
	int err = text_each_line(&lines, parse_line, &p, e);

	if (err)
		return err;
	for (size_t i = 0; i < NR_ABI_FIELDS; i++)
		if (!(p.seen & UINT64_C(1) << i))	/* [SF-40] */
			return op_error_set(e, -EPROTO, "%s: line '%s' is missing", name,
					    layout[i].name);
	*ret = p.abi;
	return 0;
}

int abi_read(const char *path, struct abi *ret, struct op_error *e)
{
	char *text;
	size_t len;
	int err = file_read_all(path, ABI_LIMIT, &text, &len);

	if (err)
		return op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
	err = abi_parse(text, len, path, ret, e);
	free(text);
	return err;
}
