/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_data.h - perf.data: header, records in order of time, and processes with their mappings
 *
 * Rules: doc/perf-data.md [PD-n].
 */
#ifndef FORMATS_PERF_DATA_PERF_DATA_H
#define FORMATS_PERF_DATA_PERF_DATA_H

#include <linux/perf_event.h>

#include "formats/format.h"
#include "formats/perf_data/bytes.h"
#include "libutil/radix_sort.h"
#include "libutil/table.h"

#define PERF_EVENTS_MAX		64
#define PERF_IDS_MAX		(1u << 20)	/* of all events: one for each CPU or thread */

/* Records of perf itself (tools/lib/perf/include/perf/event.h). */
enum {
	PERF_DATA_ATTR = 64,
	PERF_DATA_TRACING_DATA = 66,
	PERF_DATA_BUILD_ID = 67,
	PERF_DATA_AUXTRACE = 71,
	PERF_DATA_EVENT_UPDATE = 78,
	PERF_DATA_FEATURE = 80,
	PERF_DATA_COMPRESSED = 81,
	PERF_DATA_COMPRESSED2 = 83,
};

/* A kind of samples: what perf calls an event. */
struct perf_attr {
	uint32_t type;
	uint64_t config, period, sample_type, read_format;
	bool is_freq, sample_id_all, has_build_ids;
	char *name;			/* malloc'd, or NULL: after type and config */

	/* of its samples: */
	uint64_t nr_samples;
	int64_t same_period;		/* of all samples, or -1 */
	uint32_t event;			/* of the profile */
};

/* The build of a file, from the table that perf writes when it ends. */
struct perf_build {
	const char *path;		/* in the file */
	unsigned char id[20];
	uint8_t id_size;
};

/* A record of a kind that counts, by time. */
struct perf_records {
	struct radix_item *items;	/* time, address in memory */
	size_t nr, room;
};

struct perf_chunk {			/* unpacked records */
	unsigned char *bytes;
	size_t size;
	size_t offset;			/* of what it was unpacked from */
};

struct perf_data {
	const struct format_read_options *options;
	struct profile *p;
	struct op_error *e;
	const unsigned char *bytes;
	size_t size;
	bool swap;

	struct perf_attr attrs[PERF_EVENTS_MAX];
	uint32_t nr_attrs;
	bool has_build_ids;		/* mappings have them, by request */
	uint64_t *ids;			/* of samples */
	uint32_t *attr_of_id;
	size_t nr_ids, room_ids;
	struct hash_table by_id;	/* of ids */

	struct perf_build *builds;
	size_t nr_builds, room_builds;
	struct hash_table by_path;	/* of builds */

	struct perf_records records;
	struct perf_chunk *chunks;
	size_t nr_chunks, room_chunks, unpacked;
	struct unpacker *unpacker;	/* or NULL */
	uint64_t nr_lost, nr_lost_samples, nr_guest, nr_unknown_event, nr_stack_copies, nr_auxtrace;
	uint64_t first_ns, last_ns;	/* of samples */
};

/* What a sample has; fields that its type lacks are 0, or as noted. */
struct perf_data_sample {
	uint64_t ip, time, period, id;
	uint32_t pid, tid, cpu;		/* UINT32_MAX: unknown */
	struct bytes stack;		/* addresses and markers, innermost first */
};

/* --- header.c --- */

/* Read the header, the events, and what the file says about itself. *ret: the records. */
int perf_header_read(struct perf_data *d, struct bytes *ret);

/* Add an event: struct perf_event_attr of @attr's size. @ids: 8 bytes each. */
int perf_attr_add(struct perf_data *d, struct bytes attr, struct bytes ids, size_t offset);

/* One feature, of a section or a record. Unknown ones, and what is malformed, are skipped. */
void perf_feature_read(struct perf_data *d, uint64_t feature, struct bytes b);
void perf_build_add(struct perf_data *d, struct bytes record, uint16_t misc);
const struct perf_build *perf_build_find(const struct perf_data *d, const char *path);

/* The event with an ID, or NULL. */
struct perf_attr *perf_attr_find(struct perf_data *d, uint64_t id);
/* The name of an event, as perf prints it. */
const char *perf_attr_name(const struct perf_attr *a, char *room, size_t size);

/* --- sample.c --- */

/* The header of a record at @at, which is in memory whole; *ret: what follows it. */
struct perf_event_header perf_record_at(const struct perf_data *d, const unsigned char *at,
					struct bytes *ret);

/* False: the sample is shorter than its type requires. */
bool perf_sample_parse(const struct perf_attr *a, struct bytes b, struct perf_data_sample *ret);

/* The ID in a sample, before its event is known. */
uint64_t perf_sample_id(const struct perf_attr *any, struct bytes b);

/*
 * Remove what sample_id_all appends from the end of a record that is not a sample. *ret_time: 0 if
 * unknown.
 */
bool perf_trailer_take(const struct perf_attr *a, struct bytes *b, uint64_t *ret_time);

/* --- records.c --- */

/* Find all records in @b, unpack the compressed ones, and sort them by time. */
int perf_records_read(struct perf_data *d, struct bytes b);
void perf_unpacker_free(struct perf_data *d);

/* --- tasks.c --- */

/* Where an address is. */
struct perf_mapping {
	uint64_t start, end, offset;
	uint32_t image;			/* of the profile; PROFILE_NONE: not made yet */
	uint32_t path, build_id;	/* strings of the profile */
	uint32_t function;		/* of all its addresses; 0: unknown, else index + 1 */
	uint8_t kind;			/* enum profile_image_kind */
};

struct perf_tasks;

struct perf_tasks *perf_tasks_new(struct perf_data *d);
void perf_tasks_free(struct perf_tasks *t);

/* Apply a record that changes mappings or names. @b: without header and trailer. */
int perf_tasks_apply(struct perf_tasks *t, const struct perf_event_header *h, struct bytes b);

enum perf_frame {
	PERF_FRAME_USER,
	PERF_FRAME_KERNEL,
	PERF_FRAME_CALLED_KERNEL,	/* the user's, of a sample in the kernel: maybe in exec() */
};

/* The image at an address, or PROFILE_NONE; *ret_function as in struct perf_mapping. */
uint32_t perf_tasks_image(struct perf_tasks *t, uint32_t pid, enum perf_frame frame,
			  uint64_t address, uint32_t *ret_function);
/* String of the profile; 0: unknown. */
uint32_t perf_tasks_comm(const struct perf_tasks *t, uint32_t tid);

#endif
