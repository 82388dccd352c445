/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - a profile in memory, which readers of all formats build and writers take
 *
 * A sample is a call stack, labels, and a value per event. Stacks are paths in a tree, as in the
 * stack store: a frame is a place in an image, a node is a frame called from another node, and a
 * stack is its innermost node. References are indices into the arrays below. Strings, functions,
 * places, nodes and label sets are stored once: adding an equal one returns the index of the first.
 * Rules: doc/formats.md [PF-n].
 *
 * All indices are in range and parents come before their children, so writers need not check.
 * Running out of memory ends the program (xalloc.h). Threads may read a profile at the same time,
 * but not add to it.
 */
#ifndef FORMATS_PROFILE_PROFILE_H
#define FORMATS_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/call_tree.h"

#define PROFILE_NONE		UINT32_MAX	/* no image, no parent, not found */
#define PROFILE_FRAMES_MAX	65536		/* of a stack; readers enforce it */

/* Strings are indices into strings[]; 0 is "". */

enum profile_image_kind {
	PROFILE_FILE,		/* mapped from a file; @path is absolute, or as in the format */
	PROFILE_KERNEL,		/* the kernel; @path as in the session, or its name */
	PROFILE_KERNEL_MODULE,
	PROFILE_ANON,		/* anonymous memory, the stack, the vdso; @path "[heap]", "" ... */
	PROFILE_JIT,		/* code made at run time, whose functions are known */
};

/*
 * An image where it was mapped. One file mapped at two addresses is two images. If the addresses
 * are unknown (a session has offsets only), each image is mapped at a range of its own [PF-3].
 */
struct profile_image {
	uint32_t path, build_id;	/* strings; the latter lower-case hex or "" */
	uint64_t start, limit;		/* addresses [start, limit); both 0: unknown */
	uint64_t offset;		/* in the file, of start */
	enum profile_image_kind kind;
};

struct profile_function {
	uint32_t name;		/* string: as shown, demangled on request */
	uint32_t system_name;	/* string: as in the binary */
	uint32_t file;		/* string: source, "" unknown */
	uint32_t start_line;	/* 0 unknown */
};

struct profile_line {
	uint32_t function;
	uint32_t line;		/* 0 unknown */
};

/* Where code ran. Places with the same image, address and lines are equal. */
struct profile_place {
	uint64_t address;		/* of the sample; of a caller that of the call: the
					 * return address less 1 [PF-2] */
	uint32_t image;			/* or PROFILE_NONE */
	uint32_t lines;			/* index in line_lists; 0: no symbol */
};

/* The lines of a place, innermost inlined function first. */
struct profile_line_list {
	uint32_t first, nr;	/* in lines */
};

/* An event that was counted. */
struct profile_event {
	uint32_t name;		/* string: "CPU_CLK_UNHALTED", "cpu" */
	uint32_t unit;		/* string: "count", "nanoseconds"; the unit of @period */
	uint64_t period;	/* units per sample; 0: values are amounts of the unit, not
				 * samples */
	uint64_t unit_mask;	/* 0 if there is none */
};

/* A label has a string or a number. Usual keys: pid tid comm cpu cgroup [PF-5]. */
struct profile_label {
	uint32_t key;		/* string, never "" */
	uint32_t text;		/* string; 0: the label has @number */
	int64_t number;
	uint32_t unit;		/* string: of the number, or "" */
};

struct profile_labels {
	uint32_t first, nr;	/* in labels */
};

struct profile_sample {
	uint32_t node;		/* the stack; PROFILE_NONE: empty */
	uint32_t labels;	/* set; 0: none */
};

struct profile {
	const char **strings;
	struct profile_image *images;
	struct profile_function *functions;
	struct profile_line *lines;
	struct profile_line_list *line_lists;	/* [0]: the empty one */
	struct profile_place *places;
	struct call_tree tree;		/* stacks: nodes whose keys are places */
	struct profile_event *events;
	struct profile_label *labels;
	struct profile_labels *label_sets;	/* [0]: the empty one */
	struct profile_sample *samples;		/* in the order they were added; not merged */
	int64_t *values;	/* nr_events for each sample: profile_values() */
	uint32_t nr_strings, nr_images, nr_functions, nr_lines, nr_line_lists, nr_places;
	uint32_t nr_events, nr_labels, nr_label_sets, nr_samples;
	uint32_t *comments;	/* strings: remarks of a tool, one line each */
	uint32_t nr_comments;
	uint32_t main_image;			/* index: the program, or PROFILE_NONE */
	uint32_t title;		/* string: what was profiled, "bzip2 -9 file", or "" */
	int64_t start_ns, duration_ns;		/* since 1970; 0: unknown */
	uint32_t origin;	/* string: format that profile_read_file() read */
	uint32_t maps_text;	/* string: lines of /proc/PID/maps as in the file, or "" */
	bool symbolic_addresses;	/* addresses are ids (Java) and are never looked up */
	struct profile_indexes *indexes;
};

struct profile *profile_new(void);
void profile_free(struct profile *p);	/* NULL is fine */

/* The string @text, or its first @len bytes, which contain no NUL. */
uint32_t profile_string(struct profile *p, const char *text);
uint32_t profile_string_n(struct profile *p, const char *text, size_t len);
static inline const char *profile_text(const struct profile *p, uint32_t string)
{
	return p->strings[string];
}

/* Each returns an index. All events are added before the first sample. */
uint32_t profile_add_event(struct profile *p, const struct profile_event *event);
uint32_t profile_add_image(struct profile *p, const struct profile_image *image);
uint32_t profile_function(struct profile *p, const struct profile_function *function);

/* @lines, innermost first, are copied. */
uint32_t profile_place(struct profile *p, uint32_t image, uint64_t address,
		       const struct profile_line *lines, uint32_t nr_lines);

/* The same for up to PROFILE_PLACES_MAX places without lines, faster if there are many places. */
#define PROFILE_PLACES_MAX	64
struct profile_address {
	uint32_t image;			/* or PROFILE_NONE */
	uint64_t address;
};
void profile_places(struct profile *p, const struct profile_address *at, size_t nr, uint32_t *ret);

/* Add lines to a place without any. profile_place() does not find it by them. */
void profile_name_place(struct profile *p, uint32_t place, const struct profile_line *lines,
			uint32_t nr_lines);
uint32_t profile_node(struct profile *p, uint32_t parent, uint32_t place);

/* The node of a stack of @nr >= 1 places, innermost first. */
uint32_t profile_stack(struct profile *p, const uint32_t *places, size_t nr);

/* The set of these labels, whatever their order; 0 for none. */
uint32_t profile_label_set(struct profile *p, const struct profile_label *labels, uint32_t nr);

/* Add a sample. Returns its values, nr_events zeros, valid until the next sample is added. */
int64_t *profile_add_sample(struct profile *p, uint32_t node, uint32_t labels);
static inline int64_t *profile_values(const struct profile *p, uint32_t sample)
{
	return p->values + (size_t)sample * p->nr_events;
}
void profile_comment(struct profile *p, const char *text);

/*
 * Add @lost samples that could not be taken, of @due ones: as the only frame of a stack, "[lost]",
 * so that the total is what was used, and a comment. Call it when all images are added. [PF-14]
 */
void profile_add_lost(struct profile *p, uint32_t event, uint64_t lost, uint64_t due);

/* Free what only adding to the profile needs, half of a large one. Nothing can be added anymore. */
void profile_finish(struct profile *p);

/* The title, or the path of the program, or "". */
const char *profile_title(const struct profile *p);
/* Set the title, and the image of which the first word is the path or its last part, if any. */
void profile_set_title(struct profile *p, const char *title);

/* Merge samples with the same stack and labels into the first of them; sums saturate. */
void profile_merge_samples(struct profile *p);

/*
 * The image mapped at @address, the last one added if there are several, or PROFILE_NONE. The first
 * call after an image was added sorts the images: no other thread may use the profile meanwhile.
 */
uint32_t profile_image_at(const struct profile *p, uint64_t address);

/* Do these labels belong to the process @pid? "" and NULL match all. */
bool profile_is_of_process(const struct profile *p, uint32_t labels, const char *pid);

/* Saturated sum of an event's values. */
int64_t profile_total(const struct profile *p, uint32_t event);

/* The offset in the image's file of an address in the image. */
static inline uint64_t profile_offset(const struct profile_image *image, uint64_t address)
{
	return address - image->start + image->offset;
}

#endif
