/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list.h - a circular doubly linked list whose links are members of its elements */
#ifndef LIBUTIL_LIST_H
#define LIBUTIL_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD_INIT(name) { &(name), &(name) }
#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))
#define list_entry(ptr, type, member) container_of(ptr, type, member)

static inline void list_init(struct list_head *h)
{
	h->next = h->prev = h;
}

static inline bool list_empty(const struct list_head *h)
{
	return h->next == h;
}

static inline void list_add(struct list_head *n, struct list_head *after)
{
	n->next = after->next;
	n->prev = after;
	after->next->prev = n;
	after->next = n;
}

static inline void list_add_tail(struct list_head *n, struct list_head *h)
{
	list_add(n, h->prev);
}

/* @n becomes an empty list, so deleting it twice is harmless. */
static inline void list_del(struct list_head *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
	list_init(n);
}

static inline void list_move(struct list_head *n, struct list_head *after)
{
	list_del(n);
	list_add(n, after);
}

#define list_for_each_entry(pos, head, member)                                                 \
	for (pos = list_entry((head)->next, __typeof__(*pos), member); &pos->member != (head); \
	     pos = list_entry(pos->member.next, __typeof__(*pos), member))

#define list_for_each_entry_safe(pos, n, head, member)                                         \
	for (pos = list_entry((head)->next, __typeof__(*pos), member),                         \
	    n = list_entry(pos->member.next, __typeof__(*pos), member);                        \
	     &pos->member != (head);                                                           \
	     pos = n, n = list_entry(n->member.next, __typeof__(*n), member))

#endif
