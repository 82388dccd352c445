/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire.h - profile.proto on the wire: wire types and field numbers
 *
 * Rules: doc/profile-proto.md [PP-n].
 */
#ifndef FORMATS_PROTO_WIRE_H
#define FORMATS_PROTO_WIRE_H

#define PROTO_WIRE_BITS	3		/* of a tag: the wire type; the field number is above */

enum proto_wire {
	PROTO_VARINT = 0,
	PROTO_FIXED64 = 1,
	PROTO_BYTES = 2,		/* text, message, packed numbers */
	PROTO_FIXED32 = 5,
};

/* The kernel's name, and the name of its mapping. [PP-7] */
#define PROTO_KERNEL_PREFIX	"[kernel.kallsyms]"
#define PROTO_KERNEL_NAME	PROTO_KERNEL_PREFIX "_stext"

/* Fields of the file. */
enum top_field {
	TOP_SAMPLE_TYPE = 1, TOP_SAMPLE = 2, TOP_MAPPING = 3, TOP_LOCATION = 4,
	TOP_FUNCTION = 5, TOP_STRING_TABLE = 6, TOP_DROP_FRAMES = 7,
	TOP_KEEP_FRAMES = 8, TOP_TIME_NANOS = 9, TOP_DURATION_NANOS = 10,
	TOP_PERIOD_TYPE = 11, TOP_PERIOD = 12, TOP_COMMENT = 13,
	TOP_DEFAULT_SAMPLE_TYPE = 14, TOP_DOC_URL = 15,
};

enum value_type_field { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT = 2 };
enum sample_field { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum label_field { LABEL_KEY = 1, LABEL_STR = 2, LABEL_NUM = 3, LABEL_NUM_UNIT = 4 };

enum mapping_field {
	MAPPING_ID = 1, MAPPING_START = 2, MAPPING_LIMIT = 3, MAPPING_OFFSET = 4,
	MAPPING_FILENAME = 5, MAPPING_BUILD_ID = 6, MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILENAMES = 8, MAPPING_HAS_LINE_NUMBERS = 9, MAPPING_HAS_INLINE_FRAMES = 10,
};

enum location_field {
	LOCATION_ID = 1, LOCATION_MAPPING_ID = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4,
};

enum line_field { LINE_FUNCTION_ID = 1, LINE_LINE = 2 };

enum function_field {
	FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILENAME = 4,
	FUNCTION_START_LINE = 5,
};

#endif
