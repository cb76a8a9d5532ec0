// Objects at namespace scope that are never destroyed, though their type has a destructor.
//
// A database in a global object, a background thread, a thread's exit: all may read a public
// constant when the destructors of the program's statics have begun to run, and with the static
// library these constants' own destructors would be among them, in an order that nobody controls.
// So they have none. They are also made before all static objects without a priority: a database
// may be opened before main().
//
//   CAIRN_NEVER_DESTROYED const std::string kDefaultColumnFamilyName = "default";
//
// Why not a function with a static pointer, as everywhere else: these have types and names that the
// public headers fix. Only for a .cc that has nothing else: with gcc, which lacks the attribute, it
// takes the registration of destructors at exit away from the whole file, whose assembler code
// calls a function of its own under that name. So link-time optimisation must leave the file alone
// (CMakeLists.txt says -fno-lto), and scripts/check_statics.py looks at what came out.
#pragma once

#if defined(__clang__)
#define CAIRN_NEVER_DESTROYED [[clang::no_destroy, gnu::init_priority(101)]]
#elif defined(__GNUC__) && defined(_WIN32)
// There the C library's atexit() itself would have to be another one in these files, which its
// object format does not allow. So they are destroyed, but last: they were made first.
#define CAIRN_NEVER_DESTROYED [[gnu::init_priority(101)]]
#elif defined(__GNUC__)
#define CAIRN_NEVER_DESTROYED [[gnu::init_priority(101)]]
extern "C" {
[[gnu::used]] static int cairn_forget_destructor(void (*)(void*), void*, void*) { return 0; }
}
// style: a name of the assembler
asm(".set __cxa_atexit, cairn_forget_destructor");
#else
#pragma init_seg(lib)
#define CAIRN_NEVER_DESTROYED [[msvc::no_destroy]]
#endif
