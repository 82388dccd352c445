# SPDX-License-Identifier: GPL-2.0-or-later
#
# calls.rb - calls methods in all ways, and prints each stack of them that there can be
#
# It works once while each call is recorded by TracePoint, and prints the stacks, outermost method
# first; then "ready PID PID", of itself and of a child that it forked, and works on. No two of its
# methods and blocks have one label, because a stack's first lines are found by labels.

SOURCE = File.realpath(__FILE__)
FIRST_LINES = {}
STACKS = {}

def add_first_lines(iseq)
  FIRST_LINES[iseq.label] = iseq.first_lineno
  iseq.each_child { |child| add_first_lines(child) }
end

def record(locations)
  stack = +""
  locations.reverse_each do |location|
    line = FIRST_LINES[location.label]
    next unless line
    stack << ";" unless stack.empty?
    stack << "#{location.label} (#{SOURCE}:#{line})"
    STACKS[stack.dup] = 1
  end
end

def spin(n = 150)
  x = 0
  i = 0
  while i < n
    x += i * i
    i += 1
  end
  x
end

def recursive(n)
  n > 0 ? recursive(n - 1) : spin
end

def through_c(n)
  n > 0 ? [n - 1].map { |m| through_c(m) } : spin
end

def yields
  spin
  yield 1
end

def takes_a_block
  yields { |x| spin + x }
end

def passes_a_block(&block)
  yields(&block)
end

def compares
  [3, 1, 2].sort { |a, b| spin; a <=> b }
end

def enumerates
  Enumerator.new { |y| spin; y << 1 }.first
end

def always
  yield
ensure
  spin
end

def raises
  spin
  raise ArgumentError, "on purpose"
end

def catches
  raises
rescue ArgumentError
  spin
end

def throws
  catch(:done) { spin; throw :done }
end

def uses_a_fiber
  Fiber.new { recursive(3) }.resume
end

class Größe
  include Comparable
  attr_reader :value

  def initialize
    @value = spin
  end

  def <=>(other)
    spin
    0
  end

  def to_str
    spin
    "x"
  end

  def method_missing(name, *args)
    spin
  end

  def respond_to_missing?(name, private)
    spin
    false
  end

  define_method(:defined) { |x| spin + x }
end

LAMBDA = lambda { |x| spin + x }

def calls_objects
  a = Größe.new
  a == Größe.new
  a < a
  "" + a
  a.anything
  a.respond_to?(:other)
  a.defined(1)
  a.send(:defined, 2)
end

def evaluates
  instance_eval("spin", SOURCE, __LINE__)
end

def work
  spin
  recursive(100)
  through_c(10)
  takes_a_block
  passes_a_block(&LAMBDA)
  [1, 2].each(&LAMBDA)
  compares
  enumerates
  always { spin }
  catches
  throws
  uses_a_fiber
  calls_objects
end

def work_on(times)
  parent = Process.ppid
  while times != 0 && Process.ppid == parent
    work
    times -= 1
  end
end

def work_in_thread(times)
  Thread.new { work_on(times) }
end

def main
  trace = TracePoint.new(:call, :b_call, :c_call) { record(caller_locations(1)) }
  trace.enable
  work_on(1)
  work_in_thread(1).join
  trace.disable
  puts STACKS.keys
  work_in_thread(-1)
  child = fork
  puts "ready #{$$} #{child}" if child
  $stdout.flush
  work_on(-1)
end

add_first_lines(RubyVM::InstructionSequence.compile_file(SOURCE))
main
