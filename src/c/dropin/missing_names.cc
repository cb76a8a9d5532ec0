// Of a library that stands for RocksDB's (cmake/CairnDropIn.cmake), which has the C interface of
// one release and no C++. A program that wants more of it would start all the same, where its calls
// are bound when they are first made, and end, or worse, in the midst of its work. So the library
// looks, as it is loaded, at all that the program and its libraries will want, and ends the process
// if nobody has it, as the loader does where calls are bound at once: its words, on standard error,
// and its exit status, 127.
//
// It runs once, before main() or in the dlopen() that brings the library.
#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

// What the loader has of one object's dynamic section.
struct Dynamic {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const char* calls = nullptr;  // relocations that are bound late
  size_t calls_size = 0;        // bytes
  size_t call_size = sizeof(ElfW(Rela));
  std::vector<size_t> libraries;  // their names, within `strings`
};

// Some loaders leave addresses as the file has them, relative to where the object lies.
template <typename T>
const T* At(ElfW(Addr) base, ElfW(Addr) address) {
  return reinterpret_cast<const T*>(address < base ? base + address : address);
}

Dynamic DynamicOf(const dl_phdr_info& object) {
  Dynamic found;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = object.dlpi_phdr[i];
    if (header.p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + header.p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      switch (entry->d_tag) {
        case DT_SYMTAB:
          found.symbols = At<ElfW(Sym)>(object.dlpi_addr, entry->d_un.d_ptr);
          break;
        case DT_STRTAB:
          found.strings = At<char>(object.dlpi_addr, entry->d_un.d_ptr);
          break;
        case DT_JMPREL:
          found.calls = At<char>(object.dlpi_addr, entry->d_un.d_ptr);
          break;
        case DT_PLTRELSZ:
          found.calls_size = entry->d_un.d_val;
          break;
        case DT_PLTREL:
          found.call_size = entry->d_un.d_val == DT_REL ? sizeof(ElfW(Rel)) : sizeof(ElfW(Rela));
          break;
        case DT_NEEDED:
          found.libraries.push_back(entry->d_un.d_val);
          break;
        default:
          break;
      }
    }
  }
  return found;
}

size_t SymbolOf(const char* call) {
  // A Rela begins as a Rel does.
  const auto info = reinterpret_cast<const ElfW(Rel)*>(call)->r_info;
#if __ELF_NATIVE_CLASS == 64
  return ELF64_R_SYM(info);
#else
  return ELF32_R_SYM(info);
#endif
}

bool IsOfRocksdb(std::string_view name) {
  return name.starts_with("rocksdb_") || name.find("N7rocksdb") != std::string_view::npos;
}

std::string Readable(const char* name) {
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(name, nullptr, nullptr, nullptr), std::free);
  return demangled == nullptr ? name : demangled.get();
}

int EndIfIncomplete(dl_phdr_info* object, size_t /*size*/, void* /*unused*/) {
  const Dynamic dynamic = DynamicOf(*object);
  if (dynamic.symbols == nullptr || dynamic.strings == nullptr || dynamic.calls == nullptr)
    return 0;
  bool is_user = false;
  for (const size_t library : dynamic.libraries) {
    is_user |= std::string_view(dynamic.strings + library).starts_with("librocksdb.so");
  }
  if (!is_user) return 0;
  std::vector<const char*> missing;
  for (size_t at = 0; at < dynamic.calls_size; at += dynamic.call_size) {
    const ElfW(Sym)& symbol = dynamic.symbols[SymbolOf(dynamic.calls + at)];
    const char* const name = dynamic.strings + symbol.st_name;
    if (symbol.st_shndx != SHN_UNDEF || symbol.st_info >> 4 == STB_WEAK) continue;
    if (IsOfRocksdb(name) && dlsym(RTLD_DEFAULT, name) == nullptr) missing.push_back(name);
  }
  if (missing.empty()) return 0;
  const char* const user = object->dlpi_name[0] == '\0' ? "this program" : object->dlpi_name;
  const std::string more =
      missing.size() == 1 ? "" : " and " + std::to_string(missing.size() - 1) + " more";
  std::fprintf(stderr, "%s (Cairn): %s wants of RocksDB what is not here: %s%s%s\n",
               CAIRN_C_DROPIN_NAME, user, Readable(missing[0]).c_str(), more.c_str(),
               std::string_view(missing[0]).starts_with("rocksdb_")
                   ? "; it was built for another release"
                   : "; of C++ there is nothing here, compile it with Cairn's headers");
  std::_Exit(127);
}

[[maybe_unused]] const bool looked = [] {
  dl_iterate_phdr(EndIfIncomplete, nullptr);
  return true;
}();

}  // namespace
