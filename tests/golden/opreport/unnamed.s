/* A program for reports: functions of known bounds by call frame information, and no instructions.
   Offsets in the file: .text 0x1000, .plt 0x1200 (layout.ld). */
	.text
	.globl	exported, no_size, short
	.type	exported, %function
	.type	no_size, %function
	.type	short, %function

	.cfi_startproc
main:	.skip	0x40			/* 0x1000 */
	.cfi_endproc
	.cfi_startproc
exported:
	.skip	0x40			/* 0x1040 */
	.size	exported, . - exported
	.cfi_endproc
	.cfi_startproc
after:	.skip	0x20			/* 0x1080: not the part of an exported symbol */
	.cfi_endproc
	.cfi_startproc
no_size:
	.skip	0x20			/* 0x10a0 */
	.cfi_endproc
	.cfi_startproc
next:	.skip	0x20			/* 0x10c0 */
	.cfi_endproc
	.cfi_startproc
short:	.skip	0x20			/* 0x10e0: its .size is half of it */
	.size	short, 0x10
	.cfi_endproc
	.skip	0x40			/* 0x1100: without call frame information */
	.cfi_startproc
last:	.skip	0x40			/* 0x1140 */
	.cfi_endproc
