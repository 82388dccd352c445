<?php
/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls.php - calls functions in all ways, and prints each stack of them that there can be
 *
 * It works once while spin(), which every function calls, records its callers, and prints the
 * stacks, outermost function first; then "ready PID PID", of itself and of a child that it forked,
 * and works on.
 */
$stacks = [];
$records = false;

function place_of(array $frame): ?string
{
	if ($frame["function"] === "{closure}")
		return "{closure} (" . __FILE__ . ":" . CLOSURE_LINE . ")";
	$f = isset($frame["class"]) ? new ReflectionMethod($frame["class"], $frame["function"]) :
				      new ReflectionFunction($frame["function"]);
	if ($f->isInternal())
		return null;
	$name = isset($frame["class"]) ? $f->class . "::" . $f->name : $f->name;
	return $name . " (" . $f->getFileName() . ":" . $f->getStartLine() . ")";
}

function record(array $frames): void
{
	global $stacks;

	$stack = ["{main} (" . __FILE__ . ":1)"];
	$stacks[$stack[0]] = 1;
	foreach (array_reverse($frames) as $frame) {
		$place = place_of($frame);
		if ($place === null)
			continue;
		$stack[] = $place;
		$stacks[implode(";", $stack)] = 1;
	}
}

function print_stacks(): void
{
	global $stacks;

	fwrite(STDOUT, implode("\n", array_keys($stacks)) . "\n");
}

function spin(int $n = 300): int
{
	global $records;

	if ($records)
		record(debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS));
	for ($i = 0, $x = 0; $i < $n; $i++)
		$x += $i * $i % 7;
	return $x;
}

function recursive(int $n): int
{
	return $n ? recursive($n - 1) : spin();
}

function called_back(int $x): int
{
	return spin() * 0 - $x;
}

function through_c(int $n): int
{
	return $n ? array_map("through_c", [$n - 1])[0] : spin();
}

function generator(int $n): Generator
{
	for ($i = 0; $i < $n; $i++)
		yield spin() + $i;
}

function compare(int $a, int $b): int
{
	spin();
	return $a - $b;
}

function fails(): void
{
	spin();
	throw new RuntimeException("on purpose");
}

interface Shape
{
	public function area(): int;
}

class Größe implements Shape, Countable, ArrayAccess
{
	public function __construct() { spin(); }
	public function __destruct() { spin(); }
	public function __get(string $name): int { return spin(); }
	public function __toString(): string { return "" . spin(); }
	public static function make(): self { spin(); return new self(); }
	public function area(): int { return spin(); }
	public function count(): int { return spin(); }
	public function offsetExists(mixed $at): bool { return (bool)spin(); }
	public function offsetGet(mixed $at): mixed { return spin(); }
	public function offsetSet(mixed $at, mixed $value): void { spin(); }
	public function offsetUnset(mixed $at): void { spin(); }
}

const CLOSURE_LINE = __LINE__ + 1;
$closure = function (int $x): int { return spin() + $x; };

function work(): void
{
	global $closure;

	spin();
	recursive(100);
	through_c(10);
	$list = [3, 1, 2];
	usort($list, "compare");
	array_map($closure, $list);
	foreach (generator(3) as $x)
		spin();
	iterator_to_array(generator(2));
	$o = Größe::make();
	$o->area();
	$o->anything;
	count($o);
	$o[1] = $o[2];
	"$o";
	unset($o);
	preg_replace_callback("/a/", fn_name(), "banana");
	try {
		fails();
	} catch (RuntimeException) {
		spin();
	}
}

function matched(array $m): string { spin(); return "b"; }
function fn_name(): string { spin(); return "matched"; }

function work_on(int $times): void
{
	$parent = posix_getppid();

	while ($times-- && posix_getppid() === $parent)
		work();
}

function main(): void
{
	global $records;

	$records = true;
	work_on(1);
	$records = false;
	print_stacks();
	$child = pcntl_fork();
	if ($child)
		fwrite(STDOUT, "ready " . getmypid() . " $child\n");
	work_on(-1);
}

main();
