// OperatorTool: the program `cairn` as a function: what an operator asks of a database.
//
//   cairn scan DIR      entries, readable
//   cairn doctor DIR    what is wrong with the database, and what to do
//   cairn levels DIR    its levels as a table, or as a picture
//   cairn top DIR       the same live, with what its process does, out of its LOG
//
// None of them changes anything, and all work beside a process that has the database open.
#pragma once

namespace cairn {

class OperatorTool {
 public:
  // Runs the command line (argv[0] is the program's name) and returns the exit status: 0, all is
  // well; 1, doctor found something, or a command failed; 2, the command line is wrong. Prints to
  // the standard output, errors and progress to the standard error. SUSPENDS.
  int Run(int argc, char const* const* argv);
};

}  // namespace cairn
