// See backtrace.h.
#include "backtrace.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

namespace fiber::detail {
namespace {

// A word of a stack that may be in use, or poisoned: read as the debugger would.
__attribute__((no_sanitize("address", "thread", "undefined"))) uintptr_t peek(const char* address) {
  return *reinterpret_cast<const volatile uintptr_t*>(address);
}

// ---- Symbol tables. A module (the program, a library) is mapped once and for good.

struct Module {
  std::atomic<uintptr_t> base{0};  // 0: free. Set last.
  const char* path = nullptr;
  const char* file = nullptr;  // mapped, null: cannot be read
  size_t size = 0;
  const ElfW(Sym) * symbols = nullptr;
  size_t count = 0;
  const char* names = nullptr;
};

constexpr size_t kMaxModules = 32;
Module g_modules[kMaxModules];
// Held while a module is added; who does not get it does without.
std::atomic_flag g_adding = ATOMIC_FLAG_INIT;

void load_symbols(Module* module) {
  const char* path = module->path[0] != '\0' ? module->path : "/proc/self/exe";
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  struct stat info;
  void* file = MAP_FAILED;
  if (::fstat(fd, &info) == 0 && info.st_size > static_cast<off_t>(sizeof(ElfW(Ehdr))))
    file = ::mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
  ::close(fd);
  if (file == MAP_FAILED) return;
  const char* const bytes = static_cast<const char*>(file);
  const size_t size = static_cast<size_t>(info.st_size);
  const auto* header = static_cast<const ElfW(Ehdr)*>(file);
  const auto* sections = reinterpret_cast<const ElfW(Shdr)*>(bytes + header->e_shoff);
  auto inside = [size](const ElfW(Shdr) & s) {
    return s.sh_offset <= size && s.sh_size <= size - s.sh_offset;
  };
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_shoff > size ||
      header->e_shnum > (size - header->e_shoff) / sizeof(ElfW(Shdr))) {
    return;
  }
  // The full table if the file was not stripped of it, else the one of exported names.
  for (ElfW(Word) type : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (size_t i = 0; i < header->e_shnum; i++) {
      const ElfW(Shdr)& section = sections[i];
      if (section.sh_type != type || section.sh_link >= header->e_shnum) continue;
      const ElfW(Shdr)& names = sections[section.sh_link];
      if (!inside(section) || !inside(names) || names.sh_size == 0) continue;
      if (bytes[names.sh_offset + names.sh_size - 1] != '\0') continue;
      module->symbols = reinterpret_cast<const ElfW(Sym)*>(bytes + section.sh_offset);
      module->count = section.sh_size / sizeof(ElfW(Sym));
      module->names = bytes + names.sh_offset;
      module->size = names.sh_size;
      module->file = bytes;
      return;
    }
  }
}

struct Search {
  uintptr_t address;
  uintptr_t base;
  const char* path;
};

int visit_module(dl_phdr_info* info, size_t, void* argument) {
  auto* search = static_cast<Search*>(argument);
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || search->address < begin ||
        search->address - begin >= segment.p_memsz) {
      continue;
    }
    search->base = info->dlpi_addr;
    search->path = info->dlpi_name;
    return 1;
  }
  return 0;
}

const Module* module_at(uintptr_t base, const char* path) {
  const uintptr_t key = base + 1;  // the program's base may be 0
  for (Module& module : g_modules) {
    if (module.base.load(std::memory_order_acquire) == key) return &module;
  }
  if (g_adding.test_and_set(std::memory_order_acquire)) return nullptr;
  Module* added = nullptr;
  for (Module& module : g_modules) {
    if (module.base.load(std::memory_order_relaxed) != 0) continue;
    added = &module;
    added->path = path;
    load_symbols(added);
    added->base.store(key, std::memory_order_release);
    break;
  }
  g_adding.clear(std::memory_order_release);
  return added;
}

}  // namespace

size_t backtrace_of(const Stack& stack, const Context& context, uintptr_t* frames) {
  const char* const bottom = stack.bottom;
  const char* const top = stack.top;
  auto inside = [&](const char* address) {
    return address >= bottom && address + 2 * sizeof(uintptr_t) <= top &&
           reinterpret_cast<uintptr_t>(address) % sizeof(uintptr_t) == 0;
  };
  const char* const sp =
      reinterpret_cast<const char*>(peek(reinterpret_cast<const char*>(&context)));
  // See context_<arch>.S and prepare_stack() for what lies at a saved stack pointer.
#if defined(__x86_64__)
  constexpr size_t kFrame = 5, kReturn = 6;
#else
  constexpr size_t kFrame = 18, kReturn = 19;
#endif
  const char* const last_saved = sp + kReturn * sizeof(uintptr_t);
  if (!inside(sp) || !inside(last_saved)) return 0;
  size_t count = 0;
  frames[count++] = peek(last_saved);
  uintptr_t frame = peek(sp + kFrame * sizeof(uintptr_t));
  while (count < kMaxFrames && inside(reinterpret_cast<const char*>(frame))) {
    const char* const at = reinterpret_cast<const char*>(frame);
    const uintptr_t address = peek(at + sizeof(uintptr_t));
    if (address == 0) break;
    frames[count++] = address;
    const uintptr_t outer = peek(at);
    if (outer <= frame) break;
    frame = outer;
  }
  return count;
}

bool find_symbol(uintptr_t address, const char** name, uintptr_t* offset, const char** module) {
  Search search{address, 0, nullptr};
  *module = nullptr;
  if (dl_iterate_phdr(visit_module, &search) == 0) return false;
  *module = search.path[0] != '\0' ? search.path : "(program)";
  *offset = address - search.base;
  const Module* const found = module_at(search.base, search.path);
  if (found == nullptr || found->file == nullptr) return false;
  for (size_t i = 0; i < found->count; i++) {
    const ElfW(Sym)& symbol = found->symbols[i];
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_name >= found->size ||
        *offset < symbol.st_value || *offset - symbol.st_value >= symbol.st_size) {
      continue;
    }
    *name = found->names + symbol.st_name;
    *offset -= symbol.st_value;
    return true;
  }
  return false;
}

}  // namespace fiber::detail
