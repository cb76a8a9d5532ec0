// Backups that one engine makes and the other restores, verifies, goes on with and purges.
#pragma once

#include <cstdint>
#include <string>

#include "database.h"

namespace interop {

// How a directory of backups is written: "shared" (the defaults), "alone" (no file is shared),
// "old-names" (shared files have checksum and size in their names, not the session), "flushed" (no
// logs).

// Makes one of the database, which is opened for it, and prints its number.
void MakeBackup(const Setup& setup, const std::string& path, const std::string& dir,
                const std::string& style);
// Verifies all and prints their numbers.
void ListBackups(const Engine& engine, const std::string& dir);
void RestoreBackup(const Engine& engine, const std::string& path, const std::string& dir,
                   uint32_t id);
void PurgeBackups(const Engine& engine, const std::string& dir, uint32_t keep);

}  // namespace interop
