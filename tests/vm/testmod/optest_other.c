// SPDX-License-Identifier: GPL-2.0-or-later
/* optest_other - optest under another name: see there */
#define OTHER
#include "optest.c"
