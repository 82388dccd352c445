/* A program with lines at known places: each instruction is at the address .org says. */
	.text
	.globl	main
	.type	main, %function
main:	nop			/* 0x1000 */
	.org	0x10
	nop			/* 0x1010 */
	.org	0x20
	.globl	_ZN3geo4Disc4areaEv
	.type	_ZN3geo4Disc4areaEv, %function
_ZN3geo4Disc4areaEv:
	nop			/* 0x1020 */
	.org	0x30
	nop			/* 0x1030, and what follows */
	.org	0x40
	.include "part.inc"
	.org	0x80
	.globl	last
	.type	last, %function
last:	nop			/* 0x1080 */
	.org	0x90
