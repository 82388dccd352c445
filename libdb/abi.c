// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * abi.c - SD/abi: how this machine lays out sample files, for OProfile's opimport [SF-40]
 *
 * One "name value" a line; the names are OProfile's, of its types and fields.
 */
#include <endian.h>
#include <stdlib.h>
#include "file.h"
#include "sample_header.h"
#include "session.h"
#include "strbuf.h"

static const struct {
	const char *name;
	unsigned int v1x, v099;
} layout[] = {
	{ "sizeof_double", 8, 8 },
	{ "sizeof_u64", 8, 8 },
	{ "sizeof_u8", 1, 1 },
	{ "sizeof_u32", 4, 4 },
	{ "sizeof_int", 4, 4 },
	{ "sizeof_unsigned_int", 4, 4 },
	{ "sizeof_odb_key_t", 8, 8 },
	{ "sizeof_odb_index_t", 4, 4 },
	{ "sizeof_odb_value_t", 4, 4 },
	{ "sizeof_odb_node_nr_t", 4, 4 },
	{ "sizeof_odb_descr_t", 32, 32 },
	{ "sizeof_odb_node_t", 16, 16 },
	{ "sizeof_struct_opd_header", SAMPLE_HEADER_SIZE, SAMPLE_HEADER_SIZE_099 },
	{ "offsetof_node_key", 0, 0 },
	{ "offsetof_node_value", 8, 8 },
	{ "offsetof_node_next", 12, 12 },
	{ "offsetof_descr_size", 0, 0 },
	{ "offsetof_descr_current_size", 4, 4 },
	{ "offsetof_header_magic", 0, 0 },
	{ "offsetof_header_version", 4, 4 },
	{ "offsetof_header_cpu_type", 8, 8 },
	{ "offsetof_header_ctr_event", 12, 12 },
	{ "offsetof_header_ctr_um", 16, 16 },
	{ "offsetof_header_ctr_count", 20, 20 },
	{ "offsetof_header_is_kernel", 24, 24 },
	{ "offsetof_header_cpu_speed", 32, 32 },
	{ "offsetof_header_mtime", 40, 40 },
	{ "offsetof_header_cg_to_is_kernel", 48, 48 },
	{ "offsetof_header_anon_start", 56, 64 },
	{ "offsetof_header_cg_to_anon_start", 64, 72 },
	{ "little_endian", BYTE_ORDER == LITTLE_ENDIAN, BYTE_ORDER == LITTLE_ENDIAN },
};

int session_abi_write(const char *session_dir, uint32_t sample_version)
{
	struct strbuf out = STRBUF_INIT;
	char *path = path_join(session_dir, "abi");
	int err;

	for (size_t i = 0; i < sizeof(layout) / sizeof(layout[0]); i++)
		strbuf_addf(&out, "%s %u\n", layout[i].name,
			    sample_version == SAMPLE_VERSION_099 ? layout[i].v099 : layout[i].v1x);
	err = file_write_atomic(path, out.text, out.len, 0644);
	free(path);
	strbuf_free(&out);
	return err;
}
