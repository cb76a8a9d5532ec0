#include "win_error.h"

#include <cerrno>

#include "system.h"

namespace fiber::detail {

namespace {

constexpr unsigned long kDiskQuotaExceeded =
    1295;  // ERROR_DISK_QUOTA_EXCEEDED; not in mingw's headers

int positive_errno_of(unsigned long error) {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_DELETE_PENDING:
      return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_NETWORK_ACCESS_DENIED:
    case ERROR_CANNOT_MAKE:
    case WSAEACCES:
      return EACCES;
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_BUSY:
    case ERROR_USER_MAPPED_FILE:
      return EBUSY;
    case ERROR_WRITE_PROTECT:
      return EROFS;
    case ERROR_TOO_MANY_OPEN_FILES:
    case WSAEMFILE:
      return EMFILE;
    case ERROR_INVALID_HANDLE:
    case WSAEBADF:
      return EBADF;
    case WSAENOTSOCK:
      return ENOTSOCK;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_NO_SYSTEM_RESOURCES:
    case ERROR_WORKING_SET_QUOTA:
    case ERROR_COMMITMENT_LIMIT:
    case ERROR_NOT_ENOUGH_QUOTA:
      return ENOMEM;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      return EEXIST;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
    case kDiskQuotaExceeded:
      return ENOSPC;
    case ERROR_FILE_TOO_LARGE:
      return EFBIG;
    case ERROR_DIR_NOT_EMPTY:
      return ENOTEMPTY;
    case ERROR_DIRECTORY:
      return ENOTDIR;
    case ERROR_NOT_SAME_DEVICE:
      return EXDEV;
    case ERROR_TOO_MANY_LINKS:
      return EMLINK;
    case ERROR_FILENAME_EXCED_RANGE:
    case ERROR_BUFFER_OVERFLOW:
      return ENAMETOOLONG;
    case ERROR_INVALID_NAME:
    case ERROR_INVALID_PARAMETER:
    case ERROR_NEGATIVE_SEEK:
    case WSAEINVAL:
      return EINVAL;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:
    case WSAESHUTDOWN:
      return EPIPE;
    case ERROR_CALL_NOT_IMPLEMENTED:
    case ERROR_NOT_SUPPORTED:
    case ERROR_INVALID_FUNCTION:
    case WSAEOPNOTSUPP:
      return EOPNOTSUPP;
    case ERROR_OPERATION_ABORTED:
      return ECANCELED;
    case ERROR_SEM_TIMEOUT:
    case ERROR_TIMEOUT:
    case WSAETIMEDOUT:
      return ETIMEDOUT;
    case WSAEWOULDBLOCK:
      return EAGAIN;
    case WSAEINPROGRESS:
      return EINPROGRESS;
    case WSAEALREADY:
      return EALREADY;
    case WSAEMSGSIZE:
      return EMSGSIZE;
    case WSAEPROTOTYPE:
      return EPROTOTYPE;
    case WSAENOPROTOOPT:
      return ENOPROTOOPT;
    case WSAEPROTONOSUPPORT:
    case WSAESOCKTNOSUPPORT:
      return EPROTONOSUPPORT;
    case WSAEAFNOSUPPORT:
    case WSAEPFNOSUPPORT:
      return EAFNOSUPPORT;
    case WSAEADDRINUSE:
      return EADDRINUSE;
    case WSAEADDRNOTAVAIL:
    case ERROR_INVALID_NETNAME:
      return EADDRNOTAVAIL;
    case WSAENETDOWN:
      return ENETDOWN;
    case WSAENETUNREACH:
    case ERROR_NETWORK_UNREACHABLE:
      return ENETUNREACH;
    case WSAEHOSTUNREACH:
    case WSAEHOSTDOWN:
    case ERROR_HOST_UNREACHABLE:
      return EHOSTUNREACH;
    case WSAECONNABORTED:
    case ERROR_CONNECTION_ABORTED:
      return ECONNABORTED;
    case WSAECONNRESET:
    case WSAENETRESET:
    case ERROR_NETNAME_DELETED:
      return ECONNRESET;
    case WSAECONNREFUSED:
    case ERROR_CONNECTION_REFUSED:
    case ERROR_PORT_UNREACHABLE:
      return ECONNREFUSED;
    case WSAENOBUFS:
      return ENOBUFS;
    case WSAEISCONN:
      return EISCONN;
    case WSAENOTCONN:
      return ENOTCONN;
    default:
      return EIO;
  }
}

}  // namespace

int errno_of(unsigned long error) { return -positive_errno_of(error); }

int last_error() { return errno_of(GetLastError()); }

}  // namespace fiber::detail
