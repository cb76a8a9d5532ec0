#include "toolkit/database_use.h"

#include "fs/file_names.h"

namespace cairn {

Status CheckExists(Env* env, const std::string& dbname) {
  const std::string current = CurrentFileName(dbname);
  if (!env->FileExists(current).IsNotFound()) return Status::OK();
  return Status::InvalidArgument(current, "does not exist (create_if_missing is false)");
}

Status CheckUnused(Env* env, const std::string& dbname) {
  const std::string name = LockFileName(dbname);
  if (env->FileExists(name).IsNotFound()) return Status::OK();
  FileLock* lock = nullptr;
  const Status s = env->LockFile(name, &lock);
  return s.ok() ? env->UnlockFile(lock) : s;
}

}  // namespace cairn
