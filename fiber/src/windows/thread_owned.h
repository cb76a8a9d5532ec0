// ThreadOwned<T>::get(): the calling thread's own T, made at its first use and destroyed when the
// thread ends. (posix/thread_owned.h is the other one.)
//
// Not a thread_local object: mingw's GCC destroys those of threads that it has not started itself
// after it has freed them. Here a list hangs on a slot of Windows' own (FlsAlloc), whose callback
// comes at the end of any thread, also of one that was there before a DLL with this code. A thread
// of os_thread.cc ends its list itself, before anything of it goes. What a destructor makes anew
// after that is lost.
#pragma once

namespace fiber::detail {

// Keeps the object until the calling thread ends.
void own_by_thread(void* object, void (*destroy)(void*));
// Destroys what the calling thread owns, the newest first, then runs its exit actions.
void end_thread_owned();

template <class T>
struct ThreadOwned {
  static T& get() {
    if (value == nullptr) {
      value = new T;
      own_by_thread(value, [](void* object) {
        delete static_cast<T*>(object);
        value = nullptr;
      });
    }
    return *value;
  }

 private:
  static __thread T* value;
};
template <class T>
__thread T* ThreadOwned<T>::value = nullptr;

}  // namespace fiber::detail
