/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - a profile in memory: what readers of any format make and writers of any take
 *
 * A sample is a call stack, labels, and a value per event. Stacks are paths in a tree, as in the
 * stack store: a frame is a place in an image, a node is a frame called from another node, a stack
 * is its innermost node. Everything is told by index into the arrays below; what is equal is there
 * once (strings, functions, places, nodes, label sets), for the calls that add find what they added
 * before. Rules: doc/formats.md [PF-n].
 *
 * All indices are in range and parents come before their children, so writers need not check.
 * Running out of memory ends the program (xalloc.h). Threads may read it together, not add to it.
 */
#ifndef FORMATS_PROFILE_PROFILE_H
#define FORMATS_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROFILE_NONE		UINT32_MAX	/* no image, no parent, no such thing */
#define PROFILE_FRAMES_MAX	65536		/* of a stack, whatever a file says */

/* Strings are told by id; 0 is "". */

enum profile_image_kind {
	PROFILE_FILE,		/* mapped from a file: @path is absolute, or what the format has */
	PROFILE_KERNEL,		/* the kernel; @path as the session has it, or its name */
	PROFILE_KERNEL_MODULE,
	PROFILE_ANON,		/* anonymous memory, the stack, the vdso; @path "[heap]", "" ... */
	PROFILE_JIT,		/* code made at run time, whose functions are known */
};

/*
 * An image where it was mapped. One file mapped at two addresses is two images. A profile that
 * tells nothing of addresses (a session of ours has offsets) maps each image at a range of its
 * own [PF-3].
 */
struct profile_image {
	uint32_t path, build_id;	/* strings; the latter lower-case hex or "" */
	uint64_t start, limit;		/* addresses [start, limit); both 0: not known */
	uint64_t offset;		/* in the file, of start */
	enum profile_image_kind kind;
};

struct profile_function {
	uint32_t name;		/* string: as shown, demangled if it was asked for */
	uint32_t system_name;	/* string: as in the binary */
	uint32_t file;		/* string: source, "" unknown */
	uint32_t start_line;	/* 0 unknown */
};

struct profile_line {
	uint32_t function;
	uint32_t line;		/* 0 unknown */
};

/* Where code ran. Equal are those with the same image, address and lines. */
struct profile_place {
	uint32_t image;			/* or PROFILE_NONE */
	uint64_t address;		/* the sample's own; of a caller that of the call, i.e. the
					 * return address less 1 [PF-2] */
	uint32_t first_line, nr_lines;	/* innermost inlined function first; 0: not symbolised */
};

struct profile_node {
	uint32_t parent;		/* the caller's node, before it, or PROFILE_NONE */
	uint32_t place;
};

/* What was counted. */
struct profile_event {
	uint32_t name;		/* string: "CPU_CLK_UNHALTED", "cpu" */
	uint32_t unit;		/* string: "count", "nanoseconds": what @period is in */
	uint64_t period;	/* one sample stands for so many units; 0: values are amounts of the
				 * unit and not samples */
	uint64_t unit_mask;	/* 0 if there is none */
};

/* A label has either a string or a number. Usual keys: pid tid comm cpu cgroup [PF-5]. */
struct profile_label {
	uint32_t key;		/* string, never "" */
	uint32_t text;		/* string; 0: @number counts */
	int64_t number;
	uint32_t unit;		/* string: the number's, or "" */
};

struct profile_labels {
	uint32_t first, nr;	/* in labels */
};

struct profile_sample {
	uint32_t node;		/* the stack, or PROFILE_NONE: an empty one */
	uint32_t labels;	/* set 0: none */
};

struct profile {
	const char **strings;
	struct profile_image *images;
	struct profile_function *functions;
	struct profile_line *lines;
	struct profile_place *places;
	struct profile_node *nodes;
	struct profile_event *events;
	struct profile_label *labels;
	struct profile_labels *label_sets;	/* [0]: the empty one */
	struct profile_sample *samples;		/* in the order of adding; not merged */
	int64_t *values;	/* nr_events for each sample: profile_values() */
	uint32_t nr_strings, nr_images, nr_functions, nr_lines, nr_places, nr_nodes;
	uint32_t nr_events, nr_labels, nr_label_sets, nr_samples;
	uint32_t *comments;	/* strings: what a tool says of it, one line each */
	uint32_t nr_comments;
	uint32_t main_image;			/* index: the program, or PROFILE_NONE */
	int64_t start_ns, duration_ns;		/* since 1970; 0: not known */
	uint32_t origin;	/* string: the format it was read from: profile_read_file() */
	uint32_t maps_text;	/* string: lines of /proc/PID/maps as a file had them, or "" */
	bool symbolic_addresses;	/* addresses are ids (Java), never to be looked up */
	struct profile_indexes *indexes;		/* what finds equal ones again */
};

struct profile *profile_new(void);
void profile_free(struct profile *p);	/* NULL is fine */

/* The id of @text, or of its first @len bytes: no NUL is among them. */
uint32_t profile_string(struct profile *p, const char *text);
uint32_t profile_string_n(struct profile *p, const char *text, size_t len);
static inline const char *profile_text(const struct profile *p, uint32_t string)
{
	return p->strings[string];
}

/* Each returns an index. Events come before the first sample. */
uint32_t profile_add_event(struct profile *p, const struct profile_event *event);
uint32_t profile_add_image(struct profile *p, const struct profile_image *image);
uint32_t profile_function(struct profile *p, const struct profile_function *function);

/* @lines, innermost first, are copied. */
uint32_t profile_place(struct profile *p, uint32_t image, uint64_t address,
		       const struct profile_line *lines, uint32_t nr_lines);
/* Name a place that has no lines. As what it becomes it is not found again. */
void profile_name_place(struct profile *p, uint32_t place, const struct profile_line *lines,
			uint32_t nr_lines);
uint32_t profile_node(struct profile *p, uint32_t parent, uint32_t place);

/* The node of a stack of @nr >= 1 places, innermost first. */
uint32_t profile_stack(struct profile *p, const uint32_t *places, size_t nr);

/* A set of labels, in any order; the same for equal ones. 0 for none. */
uint32_t profile_label_set(struct profile *p, const struct profile_label *labels, uint32_t nr);

/* A sample with values of 0, nr_events of them, which are returned: valid until the next one. */
int64_t *profile_add_sample(struct profile *p, uint32_t node, uint32_t labels);
static inline int64_t *profile_values(const struct profile *p, uint32_t sample)
{
	return p->values + (size_t)sample * p->nr_events;
}
void profile_comment(struct profile *p, const char *text);

/* Samples with the same stack and labels become one, where the first was; sums saturate. */
void profile_merge_samples(struct profile *p);

/*
 * The image that has @address mapped, the one added last if there are several; or PROFILE_NONE.
 * Images are put in order by the first call after one was added: then no other thread may read.
 */
uint32_t profile_image_at(const struct profile *p, uint64_t address);

/* Is the process of this set of labels @pid? "" and NULL: any is. */
bool profile_is_of_process(const struct profile *p, uint32_t labels, const char *pid);

/* Sum of an event's values, saturated. */
int64_t profile_total(const struct profile *p, uint32_t event);

/* The offset in the image's file of a place in it. */
static inline uint64_t profile_offset(const struct profile_image *image, uint64_t address)
{
	return address - image->start + image->offset;
}

#endif
