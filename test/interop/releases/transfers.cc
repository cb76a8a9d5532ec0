#include "transfers.h"

#include <cstdio>
#include <sstream>

namespace interop {
namespace {

std::string Hex(const char* bytes, size_t size) {
  static const char digits[] = "0123456789abcdef";
  // (So that no word is empty.)
  std::string text = "x";
  for (size_t i = 0; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text += {digits[byte / 16], digits[byte % 16]};
  }
  return text;
}
std::string Unhex(const std::string& text) {
  std::string bytes;
  for (size_t i = 1; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

}  // namespace

bool CanTransfer(const Engine& engine) { return engine.checkpoint_export_column_family != nullptr; }

void Export(const Database& database, const std::string& dir) {
  const Engine& engine = database.engine;
  rocksdb_checkpoint_t* const checkpoint =
      engine.checkpoint_object_create(database.db, Checked(engine, "checkpoint"));
  rocksdb_export_import_files_metadata_t* const metadata = engine.checkpoint_export_column_family(
      checkpoint, database.families[0], dir.c_str(), Checked(engine, "export"));
  engine.checkpoint_object_destroy(checkpoint);
  std::ostringstream out;
  char* const comparator = engine.export_import_files_metadata_get_db_comparator_name(metadata);
  out << comparator << '\n';
  engine.free(comparator);
  const rocksdb_livefiles_t* const files = engine.export_import_files_metadata_get_files(metadata);
  for (int i = 0; i < engine.livefiles_count(files); ++i) {
    size_t size = 0;
    const char* key = engine.livefiles_smallestkey(files, i, &size);
    const std::string smallest = Hex(key, size);
    key = engine.livefiles_largestkey(files, i, &size);
    out << engine.livefiles_name(files, i) << ' ' << engine.livefiles_level(files, i) << ' '
        << engine.livefiles_size(files, i) << ' ' << engine.livefiles_smallest_seqno(files, i)
        << ' ' << engine.livefiles_largest_seqno(files, i) << ' '
        << engine.livefiles_entries(files, i) << ' ' << engine.livefiles_deletions(files, i) << ' '
        << smallest << ' ' << Hex(key, size) << '\n';
  }
  engine.livefiles_destroy(files);
  engine.export_import_files_metadata_destroy(metadata);
  std::fputs(out.str().c_str(), stdout);
}

rocksdb_column_family_handle_t* Import(const Database& database, const std::string& name,
                                       const std::string& dir,
                                       const std::vector<std::string>& lines) {
  const Engine& engine = database.engine;
  if (lines.empty()) Die("import: nothing is told");
  rocksdb_export_import_files_metadata_t* const metadata =
      engine.export_import_files_metadata_create();
  engine.export_import_files_metadata_set_db_comparator_name(metadata, lines[0].c_str());
  rocksdb_livefiles_t* const files = engine.livefiles_create();
  for (size_t i = 1; i < lines.size(); ++i) {
    std::istringstream words(lines[i]);
    std::string file_name, smallest, largest;
    int level = 0;
    size_t size = 0;
    uint64_t first = 0, last = 0, entries = 0, deletions = 0;
    words >> file_name >> level >> size >> first >> last >> entries >> deletions >> smallest >>
        largest;
    if (!words) Die("what is told of a file: " + lines[i]);
    smallest = Unhex(smallest);
    largest = Unhex(largest);
    rocksdb_livefile_t* const file = engine.livefile_create();
    engine.livefile_set_column_family_name(file, "default");
    engine.livefile_set_directory(file, dir.c_str());
    engine.livefile_set_name(file, file_name.c_str());
    engine.livefile_set_level(file, level);
    engine.livefile_set_size(file, size);
    engine.livefile_set_smallest_seqno(file, first);
    engine.livefile_set_largest_seqno(file, last);
    engine.livefile_set_num_entries(file, entries);
    engine.livefile_set_num_deletions(file, deletions);
    engine.livefile_set_smallest_key(file, smallest.data(), smallest.size());
    engine.livefile_set_largest_key(file, largest.data(), largest.size());
    engine.livefiles_add(files, file);
  }
  engine.export_import_files_metadata_set_files(metadata, files);
  rocksdb_import_column_family_options_t* const options =
      engine.import_column_family_options_create();
  engine.import_column_family_options_set_move_files(options, 0);
  rocksdb_column_family_handle_t* const family =
      engine.create_column_family_with_import(database.db, database.setup.options, name.c_str(),
                                              options, metadata, Checked(engine, "import"));
  engine.import_column_family_options_destroy(options);
  engine.export_import_files_metadata_destroy(metadata);
  return family;
}

}  // namespace interop
