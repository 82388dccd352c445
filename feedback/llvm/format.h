/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format.h - what reader and writer of LLVM's text share [XP-50] */
#ifndef FEEDBACK_LLVM_FORMAT_H
#define FEEDBACK_LLVM_FORMAT_H

#define LLVM_KIND_EXPRS		10000000	/* expressions of each kind of values */
#define LLVM_NR_KINDS		2		/* 0: callees, 1: sizes of memory operations */
#define LLVM_CALLEES		0
#define LLVM_RECORD_VALUES	4
#define LLVM_VALUES_MAX		255		/* of a site */

#endif
