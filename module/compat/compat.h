/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat.h - what differs between kernels 5.10 and newest, under one name each
 *
 * Included before every file of the module (Kbuild). Kbuild sets HAVE_* from the headers being
 * built against, because distributions backport features without changing the version number.
 * Nothing outside this folder checks for a version or a feature.
 */
#ifndef MODULE_COMPAT_COMPAT_H
#define MODULE_COMPAT_COMPAT_H

#include "module/compat/clock.h"
#include "module/compat/cpuid.h"
#include "module/compat/fs.h"
#include "module/compat/hrtimer.h"
#include "module/compat/irq_work.h"
#include "module/compat/mm.h"
#include "module/compat/module.h"
#include "module/compat/regs.h"
#include "module/compat/tracepoint.h"

#endif
