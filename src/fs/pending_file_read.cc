#include "fs/pending_file_read.h"

#include <cassert>
#include <utility>
#include <vector>

#include "fs/call_context.h"

namespace cairn {

void PendingFileRead::Take(const FSReadRequest& answer) {
  request_.result = answer.result;
  request_.status = answer.status;
  under_way_ = false;
}

void PendingFileRead::Start(const RandomAccessFileReader& file, const IOOptions& options,
                            uint64_t offset, size_t n, char* scratch) {
  assert(!under_way_);
  Abort();
  request_ = FSReadRequest();
  request_.offset = offset;
  request_.len = n;
  request_.scratch = scratch;
  fs_ = file.file_system();
  under_way_ = true;
  if (file.ReadsWithinReadAsync()) {
    call_.start([this, target = file.file(), options] {
      request_.status = target->Read(request_.offset, request_.len, options, &request_.result,
                                     request_.scratch, CallContext(options).get());
    });
    return;
  }
  FSReadRequest asked = request_;
  IOStatus s = file.file()->ReadAsync(
      asked, options,
      [](auto& answer, void* self) { static_cast<PendingFileRead*>(self)->Take(answer); }, this,
      &handle_, &deleter_, CallContext(options).get());
  if (!s.ok()) {
    asked.status = std::move(s);
    asked.result = Slice(scratch, 0);
    Take(asked);
  }
  if (!under_way_ && handle_ == nullptr) file.NoteReadWithinReadAsync();
}

IOStatus PendingFileRead::Wait(Slice* result) {
  call_.wait();
  std::vector<void*> handles{handle_};
  while (under_way_ && handle_ != nullptr) {
    IOStatus s = fs_->Poll(handles, 1);
    if (!s.ok()) {
      Abort();
      request_.result = Slice(request_.scratch, 0);
      request_.status = std::move(s);
    } else if (under_way_) {
      // Says that it is over and has not called back: never, then.
      Abort();
      request_.result = Slice(request_.scratch, 0);
      request_.status =
          IOStatus::IOError("Poll() returned without the read that it was to wait for");
    }
  }
  under_way_ = false;
  Abort();
  *result = request_.result;
  return request_.status;
}

void PendingFileRead::Abort() {
  call_.wait();
  if (handle_ != nullptr) {
    if (under_way_) {
      std::vector<void*> handles{handle_};
      fs_->AbortIO(handles).PermitUncheckedError();
    }
    if (deleter_) deleter_(handle_);
    handle_ = nullptr;
  }
  under_way_ = false;
}

}  // namespace cairn
