/* SPDX-License-Identifier: GPL-2.0-or-later */
/* foreign_samples.c - read fields at the offsets that an abi file gives */
#include "pp/exchange/import/foreign_samples.h"

#include <errno.h>
#include <string.h>

#include "libdb/odb/odb.h"

/* The fields: offset, size, and the record that has them. */
static const struct {
	enum abi_field offset, size, within;
} fields[] = {
	{ ABI_NODE_KEY, ABI_SIZEOF_KEY, ABI_SIZEOF_NODE },
	{ ABI_NODE_VALUE, ABI_SIZEOF_VALUE, ABI_SIZEOF_NODE },
	{ ABI_DESCR_SIZE, ABI_SIZEOF_NODE_NR, ABI_SIZEOF_DESCR },
	{ ABI_DESCR_CURRENT_SIZE, ABI_SIZEOF_NODE_NR, ABI_SIZEOF_DESCR },
	{ ABI_HEADER_MAGIC, ABI_SIZEOF_U32, ABI_SIZEOF_HEADER },
	{ ABI_HEADER_VERSION, ABI_SIZEOF_U32, ABI_SIZEOF_HEADER },
	{ ABI_HEADER_CPU_TYPE, ABI_SIZEOF_U32, ABI_SIZEOF_HEADER },
	{ ABI_HEADER_EVENT, ABI_SIZEOF_U32, ABI_SIZEOF_HEADER },
	{ ABI_HEADER_UNIT_MASK, ABI_SIZEOF_U32, ABI_SIZEOF_HEADER },
	{ ABI_HEADER_COUNT, ABI_SIZEOF_U32, ABI_SIZEOF_HEADER },
	{ ABI_HEADER_IS_KERNEL, ABI_SIZEOF_U32, ABI_SIZEOF_HEADER },
	{ ABI_HEADER_CPU_SPEED, ABI_SIZEOF_DOUBLE, ABI_SIZEOF_HEADER },
	{ ABI_HEADER_MTIME, ABI_SIZEOF_U64, ABI_SIZEOF_HEADER },
	{ ABI_HEADER_CG_TO_IS_KERNEL, ABI_SIZEOF_U32, ABI_SIZEOF_HEADER },
	{ ABI_HEADER_ANON_START, ABI_SIZEOF_U64, ABI_SIZEOF_HEADER },
	{ ABI_HEADER_CG_TO_ANON_START, ABI_SIZEOF_U64, ABI_SIZEOF_HEADER },
};

/* The two valid values of each type. */
static const struct {
	enum abi_field size;
	unsigned int one, other;
} types[] = {
	{ ABI_SIZEOF_DOUBLE, 8, 8 },
	{ ABI_SIZEOF_U64, 8, 8 },
	{ ABI_SIZEOF_U32, 4, 4 },
	{ ABI_SIZEOF_KEY, 4, 8 },
	{ ABI_SIZEOF_VALUE, 4, 8 },
	{ ABI_SIZEOF_INDEX, 4, 8 },
	{ ABI_SIZEOF_NODE_NR, 4, 8 },
	{ ABI_LITTLE_ENDIAN, 0, 1 },
};

int foreign_abi_check(const struct abi *abi, struct op_error *e)
{
	const unsigned int *v = abi->value;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		unsigned int size = v[types[i].size];

		if (size != types[i].one && size != types[i].other)
			return op_error_set(e, -ENOTSUP, "'%s %u': unsupported value",
					    abi_field_name(types[i].size), size);
	}
	if (v[ABI_SIZEOF_HEADER] > ODB_HEADER_MAX)
		return op_error_set(e, -ENOTSUP, "'%s %u': unsupported value",
				    abi_field_name(ABI_SIZEOF_HEADER), v[ABI_SIZEOF_HEADER]);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (v[fields[i].offset] + v[fields[i].size] > v[fields[i].within])
			return op_error_set(e, -ENOTSUP, "'%s %u': field reaches past '%s %u'",
					    abi_field_name(fields[i].offset), v[fields[i].offset],
					    abi_field_name(fields[i].within), v[fields[i].within]);
	return 0;
}

/* A number of @size bytes, 4 or 8. */
static uint64_t get(const struct abi *abi, const unsigned char *p, unsigned int size)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < size; i++)
		n = n << 8 | p[abi->value[ABI_LITTLE_ENDIAN] ? size - 1 - i : i];
	return n;
}

static uint64_t get_field(const struct abi *abi, const unsigned char *record,
			  enum abi_field offset, enum abi_field size)
{
	return get(abi, record + abi->value[offset], abi->value[size]);
}

static uint32_t get_u32(const struct abi *abi, const unsigned char *header, enum abi_field offset)
{
	return (uint32_t)get_field(abi, header, offset, ABI_SIZEOF_U32);
}

static uint64_t get_u64(const struct abi *abi, const unsigned char *header, enum abi_field offset)
{
	return get_field(abi, header, offset, ABI_SIZEOF_U64);
}

static double get_double(const struct abi *abi, const unsigned char *header, enum abi_field offset)
{
	uint64_t bits = get_field(abi, header, offset, ABI_SIZEOF_DOUBLE);
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static int read_header(const struct abi *abi, const unsigned char *bytes,
		       struct sample_header *ret, struct op_error *e)
{
	if (memcmp(bytes + abi->value[ABI_HEADER_MAGIC], "DAE\n", 4))
		return op_error_set(e, -EPROTO, "not an OProfile sample file");	/* [SF-1] */
	*ret = (struct sample_header){
		.version = get_u32(abi, bytes, ABI_HEADER_VERSION),
		.cpu_type = get_u32(abi, bytes, ABI_HEADER_CPU_TYPE),
		.event = get_u32(abi, bytes, ABI_HEADER_EVENT),
		.unit_mask = get_u32(abi, bytes, ABI_HEADER_UNIT_MASK),
		.count = get_u32(abi, bytes, ABI_HEADER_COUNT),
		.is_kernel = get_u32(abi, bytes, ABI_HEADER_IS_KERNEL) != 0,
		.cpu_mhz = get_double(abi, bytes, ABI_HEADER_CPU_SPEED),
		.mtime = get_u64(abi, bytes, ABI_HEADER_MTIME),
		.cg_to_is_kernel = get_u32(abi, bytes, ABI_HEADER_CG_TO_IS_KERNEL) != 0,
		.anon_start = get_u64(abi, bytes, ABI_HEADER_ANON_START),
		.cg_to_anon_start = get_u64(abi, bytes, ABI_HEADER_CG_TO_ANON_START),
	};
	if (ret->version == SAMPLE_VERSION_099 || ret->version == SAMPLE_VERSION_1X)
		return 0;
	return op_error_set(e, -ENOTSUP, "unsupported version 0x%x in the byte order of the abi "
			    "file: expected 0x%x or 0x%x", ret->version, SAMPLE_VERSION_099,
			    SAMPLE_VERSION_1X);		/* [SF-2] */
}

static bool all_zero(const unsigned char *bytes, size_t n)
{
	while (n && !bytes[n - 1])
		n--;
	return !n;
}

/* [SF-10], [SF-15]. Bytes after the table are of a file that was being enlarged [SF-17]. */
static int check_table(uint64_t slots, uint64_t used, size_t room, const struct abi *abi,
		       struct op_error *e)
{
	uint64_t slot = abi->value[ABI_SIZEOF_NODE] + abi->value[ABI_SIZEOF_INDEX];

	if (!slots || slots & (slots - 1) || slots > room / slot)
		return op_error_set(e, -EPROTO, "invalid table size: %llu entries, room in the "
				    "file for %llu; wrong layout, or truncated",
				    (unsigned long long)slots, (unsigned long long)(room / slot));
	if (!used || used > slots)
		return op_error_set(e, -EPROTO, "invalid number of used entries: %llu of %llu",
				    (unsigned long long)used, (unsigned long long)slots);
	return 0;
}

int foreign_samples_read(const void *bytes, size_t size, const struct abi *abi,
			 struct foreign_samples *ret, struct op_error *e)
{
	const unsigned int *v = abi->value;
	const unsigned char *header = bytes, *descr;
	size_t before = v[ABI_SIZEOF_HEADER] + v[ABI_SIZEOF_DESCR];
	struct foreign_samples f = { .abi = *abi };
	uint64_t slots, used;
	int err;

	if (all_zero(bytes, size < before ? size : before))
		return op_error_set(e, -ENODATA, "no samples yet");	/* [SF-16] */
	if (size < before)
		return op_error_set(e, -EPROTO, "truncated: expected at least %zu bytes, got %zu",
				    before, size);		/* [SF-3] */
	err = read_header(abi, header, &f.header, e);
	if (err)
		return err;
	descr = header + v[ABI_SIZEOF_HEADER];
	slots = get_field(abi, descr, ABI_DESCR_SIZE, ABI_SIZEOF_NODE_NR);
	used = get_field(abi, descr, ABI_DESCR_CURRENT_SIZE, ABI_SIZEOF_NODE_NR);
	err = check_table(slots, used, size - before, abi, e);
	if (err)
		return err;
	f.nr = (uint32_t)(used - 1);
	f.nodes = descr + v[ABI_SIZEOF_DESCR] + v[ABI_SIZEOF_NODE];	/* slot 0 is unused */
	*ret = f;
	return 0;
}

void foreign_sample(const struct foreign_samples *f, uint32_t i, uint64_t *ret_key,
		    uint64_t *ret_count)
{
	const unsigned char *node = f->nodes + (size_t)i * f->abi.value[ABI_SIZEOF_NODE];
	*ret_key = get_field(&f->abi, node, ABI_NODE_KEY, ABI_SIZEOF_KEY);
	*ret_count = get_field(&f->abi, node, ABI_NODE_VALUE, ABI_SIZEOF_VALUE);
}
