// ThreadOwned<T>::get(): the calling thread's own T, made at its first use and destroyed when the
// thread ends. Here a thread_local. (windows/thread_owned.h is the other one, for compilers whose
// thread_local objects are not destroyed as they should be.)
#pragma once

namespace fiber::detail {

template <class T>
struct ThreadOwned {
  static T& get() { return value; }

 private:
  static thread_local T value;
};
template <class T>
thread_local T ThreadOwned<T>::value;

}  // namespace fiber::detail
