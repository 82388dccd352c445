// SPDX-License-Identifier: GPL-2.0-or-later
/* tiny.c - a library that tests load and unload: it calls its caller back */
typedef void callback(void *context);

__attribute__((visibility("default"))) void tiny_call(callback *call, void *context);

void tiny_call(callback *call, void *context)
{
	call(context);
	__asm__ volatile("" ::: "memory");	/* no tail call */
}
