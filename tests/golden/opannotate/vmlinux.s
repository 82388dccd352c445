/* A kernel as linked; the profile's was 0x1000000 higher. */
	.text
	.globl	_text, startup_64, do_idle
	.type	startup_64, %function
	.type	schedule, %function
	.type	do_idle, %function
_text:
startup_64:
	nop
	.org	0x80
schedule:
	nop
	.org	0x100
	nop			/* in schedule */
	.org	0x200
do_idle:
	nop
	.org	0x250
	nop			/* in do_idle */
	.org	0x300
