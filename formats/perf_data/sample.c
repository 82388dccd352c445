// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample.c - the header of a record, the fields of samples, and of what sample_id_all appends to
 * other records
 */
#include "formats/perf_data/perf_data.h"

struct perf_event_header perf_record_at(const struct perf_data *d, const unsigned char *at,
					struct bytes *ret)
{
	struct bytes b = { at, at + sizeof(struct perf_event_header), d->swap };
	struct perf_event_header h = { .size = 0 };

	take_u32(&b, &h.type);
	take_u16(&b, &h.misc);
	take_u16(&b, &h.size);
	if (ret)
		*ret = (struct bytes){ b.at, at + h.size, d->swap };
	return h;
}

/* The values of counters, which are skipped. */
static bool skip_read(struct bytes *b, uint64_t format)
{
	uint64_t nr = 1, words = (format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 1 : 0) +
				 (format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 1 : 0);
	uint64_t each = 1 + (format & PERF_FORMAT_ID ? 1 : 0) + (format & PERF_FORMAT_LOST ? 1 : 0);

	if (format & PERF_FORMAT_GROUP && (!take_u64(b, &nr) || nr > bytes_left(b) / 8))
		return false;
	return skip_bytes(b, 8 * (words + nr * each));
}

static bool take_stack(struct bytes *b, struct bytes *ret)
{
	uint64_t nr;

	return take_u64(b, &nr) && nr <= bytes_left(b) / 8 && take_part(b, 8 * nr, ret);
}

/* Everything up to the stack; what follows it is not needed. [PD-6] */
bool perf_sample_parse(const struct perf_attr *a, struct bytes b, struct perf_data_sample *ret)
{
	struct perf_data_sample s = { .pid = UINT32_MAX, .tid = UINT32_MAX, .cpu = UINT32_MAX };
	uint64_t type = a->sample_type;
	uint32_t reserved;
	bool ok = true;

	s.period = a->is_freq ? 1 : a->period;
	if (type & PERF_SAMPLE_IDENTIFIER)
		ok = ok && take_u64(&b, &s.id);
	if (type & PERF_SAMPLE_IP)
		ok = ok && take_u64(&b, &s.ip);
	if (type & PERF_SAMPLE_TID)
		ok = ok && take_u32(&b, &s.pid) && take_u32(&b, &s.tid);
	if (type & PERF_SAMPLE_TIME)
		ok = ok && take_u64(&b, &s.time);
	if (type & PERF_SAMPLE_ADDR)
		ok = ok && skip_bytes(&b, 8);
	if (type & PERF_SAMPLE_ID)
		ok = ok && take_u64(&b, &s.id);
	if (type & PERF_SAMPLE_STREAM_ID)
		ok = ok && skip_bytes(&b, 8);
	if (type & PERF_SAMPLE_CPU)
		ok = ok && take_u32(&b, &s.cpu) && take_u32(&b, &reserved);
	if (type & PERF_SAMPLE_PERIOD)
		ok = ok && take_u64(&b, &s.period);
	if (type & PERF_SAMPLE_READ)
		ok = ok && skip_read(&b, a->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		ok = ok && take_stack(&b, &s.stack);
	*ret = s;
	return ok;
}

uint64_t perf_sample_id(const struct perf_attr *any, struct bytes b)
{
	struct perf_data_sample s;
	struct perf_attr first = *any;
	uint64_t id = 0;

	if (any->sample_type & PERF_SAMPLE_IDENTIFIER)
		return take_u64(&b, &id) ? id : 0;
	first.sample_type &= PERF_SAMPLE_ID * 2 - 1 - PERF_SAMPLE_READ - PERF_SAMPLE_CALLCHAIN;
	return perf_sample_parse(&first, b, &s) ? s.id : 0;
}

bool perf_trailer_take(const struct perf_attr *a, struct bytes *b, uint64_t *ret_time)
{
	static const uint64_t fields[] = {
		PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID,
		PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER,
	};
	struct bytes time = *b;
	size_t size = 0;

	*ret_time = 0;
	if (!a || !a->sample_id_all)
		return true;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		size += a->sample_type & fields[i] ? 8 : 0;
	if (bytes_left(b) < size)
		return false;
	b->end -= size;
	time.at = b->end + (a->sample_type & PERF_SAMPLE_TID ? 8 : 0);
	if (a->sample_type & PERF_SAMPLE_TIME)
		take_u64(&time, ret_time);
	return true;
}
