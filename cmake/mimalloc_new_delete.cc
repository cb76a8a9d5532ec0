// operator new and delete of the programs on Windows, with CAIRN_ALLOCATOR=mimalloc: the header
// defines them.
#include <mimalloc-new-delete.h>
