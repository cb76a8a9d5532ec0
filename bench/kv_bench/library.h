// A shared library that is opened at run time, and its functions.
#pragma once

#include <string>

namespace kv_bench {

class Library {
 public:
  // `name`: a path, or a name that the dynamic linker finds. Never closed. If it cannot be opened,
  // error() says why, and no function is found.
  explicit Library(const std::string& name);

  // The function of this name; *function is null if there is none.
  template <class Pointer>
  void Find(const char* name, Pointer* function) const {
    *function = reinterpret_cast<Pointer>(Look(name));
  }
  // The same of one that has to be there. False: it is not, and error() says so.
  template <class Pointer>
  bool Require(const char* name, Pointer* function) {
    Find(name, function);
    if (*function == nullptr && error_.empty()) error_ = name_ + ": no function " + name;
    return *function != nullptr;
  }
  const std::string& error() const { return error_; }

 private:
  void* Look(const char* name) const;

  const std::string name_;
  std::string error_;
  void* const handle_;  // after the error, which its opening may set
};

}  // namespace kv_bench
