// RocksJava's sources from release 11 on call two functions of a database that Cairn does not have:
// who calls them from Java gets an UnsupportedOperationException.
#pragma once

#include <dlfcn.h>
#include <jni.h>

#include_next <rocksdb/db.h>

namespace rocksjava {

inline void Refuse(const char* method) {
  // (The JVM has loaded this library, so it is there; the function is not given an environment.)
  void* const library = dlopen("libjvm.so", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return;
  const auto machines =
      reinterpret_cast<jint (*)(JavaVM**, jsize, jsize*)>(dlsym(library, "JNI_GetCreatedJavaVMs"));
  JavaVM* machine = nullptr;
  jsize count = 0;
  void* found = nullptr;
  if (machines != nullptr && machines(&machine, 1, &count) == JNI_OK && count == 1 &&
      machine->GetEnv(&found, JNI_VERSION_1_6) == JNI_OK) {
    JNIEnv* const env = static_cast<JNIEnv*>(found);
    const jclass kind = env->FindClass("java/lang/UnsupportedOperationException");
    if (kind != nullptr) env->ThrowNew(kind, method);
  }
  dlclose(library);
}

}  // namespace rocksjava

#define AbortAllCompactions() \
  GetEnv(), rocksjava::Refuse("RocksDB.abortAllCompactions is not supported by Cairn")
#define ResumeAllCompactions() \
  GetEnv(), rocksjava::Refuse("RocksDB.resumeAllCompactions is not supported by Cairn")
