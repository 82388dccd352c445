/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.h - call stacks of samples: a prefix tree in a mapped file, stats/stacks
 *
 * A frame is a place in an image, a node is a frame called from another node, and a stack is its
 * innermost node. So stacks share the outer frames they have in common, and a known stack costs
 * only a counter. Above the outermost frames are roots, one for each way in which stacks end, so
 * that an incomplete stack does not count as complete.
 *
 * One writer, any number of readers, no locks. Layout: doc/stack-store.md, rules [ST-n].
 *
 * Crash safety: the file is a log whose records are whole before its length includes them (release
 * store), and only refer backwards; so after kill -9 at any instruction the file opens and holds
 * everything added before. Room is allocated in advance: a full disk is -ENOSPC from the call that
 * needs the room, and never SIGBUS.
 *
 * Do not: use it after fork() in both processes, keep it on a file system without shared mappings.
 *
 * Calls that can fail return 0, or a negative errno with the store unchanged.
 */
#ifndef LIBDB_STACK_STORE_H
#define LIBDB_STACK_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libdb/session/name.h"
#include "libutil/error.h"
#include "libutil/strbuf.h"

#define STACK_STORE_FILE	"stacks"	/* below stats/ */
#define STACK_STORE_MAX		(UINT64_C(1) << 32)	/* bytes of a file [ST-8] */
#define STACK_FRAMES_MAX	1026		/* the sample's own, 1024 callers, the program */
#define STACK_NONE		UINT32_MAX	/* no image, no parent */

/* How a stack ended; the numbers are those of the event buffer's OP_STACK_END. [ST-12] */
enum stack_end {
	STACK_COMPLETE,		/* the outermost frame was reached */
	STACK_TRUNCATED,	/* the maximum depth was reached, with more frames to come */
	STACK_NO_TABLE,		/* code without unwind table; frame pointers led no further */
	STACK_BAD_FRAME,	/* a frame's address failed its check */
	STACK_UNREADABLE,	/* the user's memory could not be read */
	STACK_SHORT_COPY,	/* the copy of the stack was too short */
	STACK_NO_USER,		/* only the kernel's part, whole */
	STACK_UNKNOWN_END,	/* the collector does not report how stacks end */
	STACK_NO_MAPS,		/* the process's mapping there was not known yet */
	NR_STACK_ENDS
};
#define STACK_END_KIND(end)	((end) & 0xff)	/* enum stack_end, or a later version's */
#define STACK_END_GUESSED	0x100u		/* frame pointers stood in for a table */
#define STACK_END_MAX		0xffffu
/*
 * Bits 9-15: so many of the stack's frames are its outermost ones, and those below them are
 * missing. STACK_END_PROCESS: one, which is no frame but the program of the process. [ST-15]
 */
#define STACK_END_OUTER_SHIFT	9
#define STACK_END_PROCESS	127u

static inline bool stack_end_has_process(unsigned int end)
{
	return (end >> STACK_END_OUTER_SHIFT & 0x7f) == STACK_END_PROCESS;
}

static inline unsigned int stack_end_nr_outer(unsigned int end)
{
	return stack_end_has_process(end) ? 1 : end >> STACK_END_OUTER_SHIFT & 0x7f;
}

struct stack_frame {
	uint32_t image;		/* id from stack_store_image(); of a snapshot: index */
	/*
	 * The image's sample key [SF-28]: offset in the file, address, or offset from the start of
	 * the mapping. For a caller, that of the call: of the return address minus 1.
	 */
	uint64_t offset;
};

struct stack_image {
	struct image_name name;
	/* Lower-case hex, "" unknown. Of IMAGE_ANON the program of the process instead. [ST-10] */
	const char *build_id;
};

struct stack_event {
	const char *name;
	uint64_t count, unit_mask;
};

/* What stacks are separated by, as in names of sample files; "all" if not separated. */
struct stack_context {
	uint32_t app;			/* image (id or index), or STACK_NONE */
	int64_t tgid, tid, cpu;		/* or SAMPLE_ALL */
	const char *cgroup, *comm;	/* "" not separated or unknown */
	const char *labels;		/* stack_label_add(); "" none, and NULL to writers */
};

/*
 * The labels that the program itself put on its samples, as text: names with numbers [ST-14].
 * False, with @labels unchanged: a context has no room for one more.
 */
bool stack_label_add(struct strbuf *labels, const char *name, int64_t number);
/* The next name in *@labels, which is overwritten and advanced; NULL at the end or if malformed. */
char *stack_label_next(char **labels, int64_t *ret_number);

/* --- adding --- */

struct stack_store;		/* open for adding; not shared between threads */

/*
 * Open or create @path for adding, bounded to @max_bytes (0: STACK_STORE_MAX). Memory: 6 to 12
 * bytes for each distinct node and frame besides the mapped file, of at least 64 KiB.
 * -EPROTO: not a stack store, or inconsistent; unchanged, with the first fault in @e.
 * -EBUSY: already open for adding. -ELOOP: a symbolic link.
 */
int stack_store_open(const char *path, uint64_t max_bytes, struct stack_store **ret_store,
		     struct op_error *e);
/* Truncates the file to what is used. NULL is fine; returns NULL. */
struct stack_store *stack_store_close(struct stack_store *s);
int stack_store_sync(struct stack_store *s);	/* to the disk; blocks */
/*
 * Replace a closed store by its packed form, a fifth as long, in one step. It is read as before,
 * and stack_store_open() unpacks it. One that is very large stays as it is [ST-16]. Takes 6 times
 * its size of memory. Errors as of stack_store_read().
 */
int stack_store_pack(const char *path, struct op_error *e);

/*
 * The id of an image, event or context: the same for equal arguments, also after the store is
 * closed and opened again, and never 0. Strings are copied. Takes about 100 ns for a known one, so
 * keep the id. -EINVAL: a string is longer than 4095 bytes or NULL, a path is empty or a file's is
 * not absolute, or an app is not an image's id.
 * -ENOSPC, -ENOMEM, -EFBIG: as stack_store_add().
 */
int stack_store_image(struct stack_store *s, const struct stack_image *image, uint32_t *ret_id);
int stack_store_event(struct stack_store *s, const struct stack_event *event, uint32_t *ret_id);
int stack_store_context(struct stack_store *s, const struct stack_context *context,
			uint32_t *ret_id);

/*
 * Add @count samples of @event on behalf of @context, whose stack is @frames, innermost first.
 * @end: enum stack_end and flags. Counts have 64 bits and saturate. Fastest when the stack shares
 * its outer frames with one of the last few.
 *
 * -EINVAL: @nr is 0 or past STACK_FRAMES_MAX, @end is past STACK_END_MAX, or an id is not of its
 * kind. -ENOSPC: no room on the disk. -EFBIG: no room below @max_bytes or the limit of file sizes.
 * -ENOMEM. After the last three the samples are added to the file's own count of lost samples.
 */
int stack_store_add(struct stack_store *s, uint32_t context, uint32_t event,
		    const struct stack_frame *frames, size_t nr, unsigned int end, uint64_t count);

/*
 * The same from a tree of the caller's: *ret is the id of a frame, as of a label; of a node that
 * the store does not have yet, called from the node @parent; @parent 0: of a root, and @frame is
 * how its stacks end. Such a node takes no memory besides the file, and its pages are let go; but
 * stack_store_add() does not find it and adds another. Then samples of exactly that stack, best
 * right after it. @parent, @frame and @node are not checked. Errors as of stack_store_add(),
 * without the count of lost samples.
 */
int stack_store_frame(struct stack_store *s, const struct stack_frame *frame, uint32_t *ret);
int stack_store_new_node(struct stack_store *s, uint32_t parent, uint32_t frame, uint32_t *ret);
int stack_store_count(struct stack_store *s, uint32_t context, uint32_t event, uint32_t node,
		      uint64_t count);

/* Sizes, for status and benchmarks. */
struct stack_store_size {
	uint64_t bytes;			/* used of the file */
	uint64_t memory;		/* besides the mapped file */
	uint64_t nodes, frames;		/* distinct ones, roots included */
	uint64_t lost;			/* samples dropped for lack of room */
};
void stack_store_size(const struct stack_store *s, struct stack_store_size *ret);

/* --- reading --- */

/*
 * A tree node. A parent comes before its children: one pass upwards through the indices goes from
 * callers to callees, one downwards sums up.
 */
struct stack_node {
	uint32_t parent;		/* index of the caller, or STACK_NONE: a root */
	uint32_t frame;			/* index into frames; in a root: how its stacks ended */
};

struct stack_count {
	uint32_t node;			/* the stack: its innermost node */
	uint32_t context, event;	/* indices */
	uint64_t count;			/* the same three may come more than once: add up */
};

/* All indices below are in range, whatever the file holds. */
struct stack_snapshot {
	const struct stack_image *images;
	const struct stack_event *events;
	const struct stack_context *contexts;
	const struct stack_frame *frames;
	const struct stack_node *nodes;
	const uint16_t *ends;		/* of each node: how its stacks ended, from its root */
	const struct stack_count *counts;
	uint32_t nr_images, nr_events, nr_contexts, nr_frames, nr_nodes, nr_counts;
	uint64_t lost;			/* samples dropped for lack of room */
	char *text;			/* storage of the strings */
};

/*
 * Read @path into memory as it is at the moment of the call. Later changes of the file cannot hurt
 * the reader, and memory is limited to a few times the true size of the file, whatever it holds.
 * -ENOENT. -ENODATA: empty, or its writer has not finished creating it [ST-3]. -EPROTO with the
 * first fault in @e. *ret is unchanged on failure.
 */
int stack_store_read(const char *path, struct stack_snapshot *ret, struct op_error *e);
void stack_snapshot_free(struct stack_snapshot *s);

/* Samples by how their stacks ended. */
struct stack_totals {
	uint64_t samples;		/* all */
	uint64_t ends[NR_STACK_ENDS];	/* kinds of later versions are only in @samples */
	uint64_t guessed;		/* of these, with STACK_END_GUESSED */
};
void stack_snapshot_totals(const struct stack_snapshot *s, struct stack_totals *ret);

/*
 * Of each node how many outermost frames follow from it on, including it, until the missing ones: 1
 * is the last of them, 0: none. @ret has an element for each node.
 */
void stack_snapshot_outer(const struct stack_snapshot *s, uint8_t *ret);

const char *stack_end_name(unsigned int kind);	/* "complete", "truncated", ...; "unknown" */
const char *stack_end_text(unsigned int kind);	/* for people: "cut at the depth asked for" */
/* The kind that stack_end_text() of this or an earlier version calls @text; false: none. */
bool stack_end_parse(const char *text, size_t n, unsigned int *ret);

#endif
