// What the driver's commands share: an open database, and the end where something is wrong.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine.h"
#include "features.h"

namespace interop {

[[noreturn]] inline void Die(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

// The `char** errptr` of a call, which must stay null.
class Checked {
 public:
  Checked(const Engine& engine, const char* what) : engine_(engine), what_(what) {}
  ~Checked() {
    if (error_ == nullptr) return;
    const std::string message = std::string(what_) + ": " + error_;
    engine_.free(error_);
    Die(message);
  }
  operator char**() { return &error_; }

 private:
  const Engine& engine_;
  const char* const what_;
  char* error_ = nullptr;
};

// Which family has the key.
inline size_t FamilyOf(const Setup& setup, const std::string& key) {
  return setup.families && !key.empty() && key.back() % 2 != 0 ? 1 : 0;
}

struct Database {
  // `both`: with the second family, whatever the setup says.
  Database(const Setup& the_setup, const std::string& path, bool read_only, bool both = false)
      : setup(the_setup), engine(setup.engine) {
    engine.options_set_create_if_missing(setup.options, 1);
    engine.options_set_create_missing_column_families(setup.options, 1);
    if (!setup.defaults) {
      engine.options_set_write_buffer_size(setup.options, 256 << 10);
      engine.options_set_target_file_size_base(setup.options, 128 << 10);
      engine.options_set_max_bytes_for_level_base(setup.options, 512 << 10);
      engine.options_set_max_bytes_for_level_multiplier(setup.options, 4);
      // (The options take a copy.)
      if (setup.own_table) engine.options_set_block_based_table_factory(setup.options, setup.table);
    }
    const char* const names[] = {"default", "second"};
    const rocksdb_options_t* const options[] = {setup.options, setup.options};
    families.resize(setup.families || both ? 2 : 1);
    Checked error(engine, "open");
    if (read_only) {
      db = engine.open_for_read_only_column_families(setup.options, path.c_str(),
                                                     static_cast<int>(families.size()), names,
                                                     options, families.data(), 0, error);
    } else {
      db = engine.open_column_families(setup.options, path.c_str(),
                                       static_cast<int>(families.size()), names, options,
                                       families.data(), error);
    }
  }
  void Close() {
    for (rocksdb_column_family_handle_t* family : families) {
      engine.column_family_handle_destroy(family);
    }
    engine.close(db);
  }
  rocksdb_column_family_handle_t* Of(const std::string& key) const {
    return families[FamilyOf(setup, key)];
  }

  const Setup& setup;
  const Engine& engine;
  rocksdb_t* db = nullptr;
  std::vector<rocksdb_column_family_handle_t*> families;
};

inline std::string Show(const std::string& bytes) {
  std::string text;
  for (const char c : bytes.substr(0, 60)) {
    char buffer[8];
    if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      std::snprintf(buffer, sizeof(buffer), "\\x%02x", static_cast<unsigned char>(c));
      text += buffer;
    }
  }
  return bytes.size() > 60 ? text + "..." : text;
}

}  // namespace interop
