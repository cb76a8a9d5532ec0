#include "server/net/outbox.h"

#include <algorithm>

#include "fiber/runtime.h"
#include "server/net/connection.h"

namespace cairn::server {

void Outbox::Add(Connection* connection) {
  connection->set_in_outbox(true);
  connections_[count_++] = connection;
  if (count_ == kMost) {
    SendAll();
  } else if (count_ == 1) {
    fiber::yield();
    if (connection->in_outbox()) SendAll();
  }
}

void Outbox::Remove(Connection* connection) {
  connection->set_in_outbox(false);
  const auto end = connections_.begin() + count_;
  std::copy(std::find(connections_.begin(), end, connection) + 1, end,
            std::find(connections_.begin(), end, connection));
  --count_;
}

void Outbox::SendAll() {
  const size_t count = count_;
  count_ = 0;
  for (size_t i = 0; i < count; ++i) {
    connections_[i]->set_in_outbox(false);
    connections_[i]->SendFromOutbox();
  }
}

}  // namespace cairn::server
