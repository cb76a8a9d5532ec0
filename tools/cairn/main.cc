// cairn: looks after a database. `cairn --help` says how.
#include "cairn/operator_tool.h"

int main(int argc, char** argv) { return cairn::OperatorTool().Run(argc, argv); }
