// Families from outside: CreateColumnFamilyWithImport (imports.cc).
//
// Guards: nothing of its own.
#pragma once

#include <string>
#include <vector>

#include "base/namespace.h"
#include "db/database.h"
#include "db/families.h"
#include "db/imported_file.h"
#include "rocksdb/metadata.h"

namespace cairn {

class Imports final : public Part {
 public:
  using Part::Part;

  [[nodiscard]] Status CreateColumnFamilyWithImport(
      const ColumnFamilyOptions& options, const std::string& name,
      const ImportColumnFamilyOptions& import,
      const std::vector<const ExportImportFilesMetaData*>& metadatas, ColumnFamilyHandle** handle);

 private:
  // What can be said before a file is opened.
  [[nodiscard]] Status CheckRequest(
      const Options& options, const std::string& name, const ImportColumnFamilyOptions& import,
      const std::vector<const ExportImportFilesMetaData*>& metadatas) const;
  // Looks into the files of all metadatas, then links or copies them. *files: oldest first.
  [[nodiscard]] Status TakeFiles(const Options& options, const ImportColumnFamilyOptions& import,
                                 const std::vector<const ExportImportFilesMetaData*>& metadatas,
                                 std::vector<ImportedFile>* files);
  // The family, in the MANIFEST and in the OPTIONS file, or none.
  [[nodiscard]] Status CreateFamilyOf(const ColumnFamilyDescriptor& descriptor, FamilyFiles* files,
                                      ColumnFamilyHandle** handle);
};

}  // namespace cairn
