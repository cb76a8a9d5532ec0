#include "server/admin/admin_server.h"

#include <array>
#include <cstring>
#include <utility>

#include "fiber/clock.h"
#include "fiber/net.h"
#include "rocksdb/db.h"
#include "server/admin/metrics.h"
#include "server/commands/registry.h"
#include "server/host/address.h"
#include "server/resp/words.h"
#include "server/state/server_state.h"

namespace cairn::server {

using rocksdb::Status;

extern const char kAdminPage[];  // made of page.html by the build

namespace {

constexpr uint64_t kPatienceNanos = 10'000'000'000;
// So long a visitor may keep a connection open between two requests.
constexpr uint64_t kIdleNanos = 30'000'000'000;
constexpr uint64_t kLookNanos = 200'000'000;

std::string Response(std::string_view status, std::string_view type, std::string_view body,
                     bool keep_alive, bool only_head = false, std::string_view more = "") {
  std::string text = "HTTP/1.1 ";
  text.append(status).append("\r\nContent-Type: ").append(type);
  text.append("\r\nContent-Length: ").append(std::to_string(body.size()));
  text.append(
      "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY");
  text.append(
      "\r\nContent-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; "
      "style-src 'unsafe-inline'; connect-src 'self'");
  text.append(more);
  text.append(keep_alive ? "\r\nConnection: keep-alive\r\n\r\n" : "\r\nConnection: close\r\n\r\n");
  if (!only_head) text.append(body);
  return text;
}

std::string_view HeaderValue(std::string_view head, std::string_view name) {
  size_t line = head.find("\r\n");
  while (line != std::string_view::npos) {
    line += 2;
    const size_t end = std::min(head.find("\r\n", line), head.size());
    const std::string_view text = head.substr(line, end - line);
    const size_t colon = text.find(':');
    if (colon != std::string_view::npos && EqualsIgnoringCase(text.substr(0, colon), name)) {
      std::string_view value = text.substr(colon + 1);
      while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
      while (!value.empty() && value.back() == ' ') value.remove_suffix(1);
      return value;
    }
    line = head.find("\r\n", line);
  }
  return {};
}

// "" if it is not base64.
std::string DecodeBase64(std::string_view text) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  for (const char c : text) {
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return {};
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<char>(bits >> count & 0xff));
    }
  }
  return out;
}

}  // namespace

Status AdminServer::Start(ServerState* server, const std::string& bind, int port,
                          std::unique_ptr<AdminServer>* admin) {
  fiber::net::Address address;
  if (port < 0 || port > 65535 ||
      fiber::net::Address::parse(bind, static_cast<uint16_t>(port), &address) != 0) {
    return Status::InvalidArgument("the admin port takes a numeric address, port 0 to 65535",
                                   bind + ":" + std::to_string(port));
  }
  std::unique_ptr<AdminServer> started(new AdminServer(server));
  started->needs_password_ = !IsLoopback(address);
  if (started->needs_password_ && !server->needs_password()) {
    return Status::InvalidArgument(
        "an admin port that other machines reach needs the server's password", address.to_string());
  }
  started->listener_ = fiber::net::listen_on(address);
  if (started->listener_ < 0) {
    return Status::IOError("cannot listen on " + address.to_string(),
                           std::strerror(-started->listener_));
  }
  fiber::net::Address bound;
  if (fiber::net::local_address(started->listener_, &bound) == 0) started->port_ = bound.port();
  started->acceptor_ = server->runtime().spawn([raw = started.get()] { raw->Accept(); });
  server->log().Info("listening", {{"admin", "http://" + bound.to_string() + "/"}});
  *admin = std::move(started);
  return Status::OK();
}

AdminServer::~AdminServer() {
  stopping_.store(true);
  if (listener_ >= 0) fiber::net::close(listener_);
  if (acceptor_.joinable()) acceptor_.join();
  while (visitors_.load() != 0) fiber::sleep_for(1'000'000);
}

void AdminServer::Accept() {
  while (!stopping_.load()) {
    const int fd = fiber::net::accept(listener_);
    if (fd < 0) {
      if (!stopping_.load()) fiber::sleep_for(50'000'000);
      continue;
    }
    if (visitors_.fetch_add(1) >= kMaxVisitors) {
      visitors_.fetch_sub(1);
      fiber::net::close(fd);
      continue;
    }
    server_->runtime()
        .spawn([this, fd] {
          Serve(fd);
          fiber::net::close(fd);
          visitors_.fetch_sub(1);
        })
        .detach();
  }
}

void AdminServer::Serve(int fd) {
  std::string input;
  bool keep_alive = true;
  while (keep_alive) {
    const uint64_t deadline = fiber::deadline_after(input.empty() ? kIdleNanos : kPatienceNanos);
    size_t end;
    while ((end = input.find("\r\n\r\n")) == std::string::npos) {
      if (input.size() > kMaxHeadBytes) {
        const std::string refusal = Response("431 Request Header Fields Too Large", "text/plain",
                                             "the request's head is too large\n", false);
        fiber::net::send_all(fd, refusal.data(), refusal.size(),
                             fiber::deadline_after(kPatienceNanos));
        return;
      }
      char buffer[2048];
      const ptrdiff_t n = fiber::net::recv(fd, buffer, sizeof(buffer), 0,
                                           std::min(deadline, fiber::deadline_after(kLookNanos)));
      if (n == -ETIMEDOUT && fiber::now_nanos() < deadline && !stopping_.load()) continue;
      if (n <= 0) return;
      input.append(buffer, static_cast<size_t>(n));
    }
    const std::string answer = Answer(std::string_view(input).substr(0, end), &keep_alive);
    input.erase(0, end + 4);
    if (stopping_.load()) keep_alive = false;
    if (fiber::net::send_all(fd, answer.data(), answer.size(),
                             fiber::deadline_after(kPatienceNanos)) < 0) {
      return;
    }
  }
}

bool AdminServer::MayWatch(std::string_view user, std::string_view password) const {
  const Acl::UserPtr found = server_->acl().LogIn(user, password);
  static constexpr std::string_view kInfo[] = {"info"};
  size_t position;
  return found != nullptr &&
         found->Check(*FindCommand(kInfo[0]), kInfo, &position) == AclUser::Denied::kNothing;
}

bool AdminServer::MayEnter(std::string_view head) const {
  if (!needs_password_) return true;
  const std::string_view value = HeaderValue(head, "authorization");
  if (value.size() < 6 || !EqualsIgnoringCase(value.substr(0, 6), "basic ")) return false;
  const std::string login = DecodeBase64(value.substr(6));
  const size_t colon = login.find(':');
  return colon != std::string::npos && MayWatch(std::string_view(login).substr(0, colon),
                                                std::string_view(login).substr(colon + 1));
}

std::string AdminServer::Answer(std::string_view head, bool* keep_alive) {
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const size_t first = line.find(' ');
  const size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
  if (second == std::string_view::npos || line.substr(second + 1, 7) != "HTTP/1.") {
    *keep_alive = false;
    return Response("400 Bad Request", "text/plain", "this is no HTTP request\n", false);
  }
  const std::string_view method = line.substr(0, first);
  std::string_view path = line.substr(first + 1, second - first - 1);
  path = path.substr(0, path.find('?'));
  *keep_alive = line.substr(second + 1) != "HTTP/1.0" &&
                !EqualsIgnoringCase(HeaderValue(head, "connection"), "close");
  const bool only_head = method == "HEAD";
  if (method != "GET" && !only_head) {
    // A body would be taken for the next request.
    *keep_alive = false;
    return Response("405 Method Not Allowed", "text/plain", "this port only shows\n", false, false,
                    "\r\nAllow: GET, HEAD");
  }
  if (!MayEnter(head)) {
    *keep_alive = false;
    return Response("401 Unauthorized", "text/plain", "the server's password is needed\n", false,
                    only_head, "\r\nWWW-Authenticate: Basic realm=\"cairn-server\"");
  }
  if (path == "/" || path == "/index.html") {
    return Response("200 OK", "text/html; charset=utf-8", kAdminPage, *keep_alive, only_head);
  }
  if (path == "/state.json") {
    return Response("200 OK", "application/json", StateJson(*server_), *keep_alive, only_head);
  }
  if (path == "/metrics") {
    return Response("200 OK", "text/plain; version=0.0.4; charset=utf-8", MetricsText(*server_),
                    *keep_alive, only_head);
  }
  if (path == "/healthz") {
    const bool ok = TakesWrites(*server_);
    return Response(ok ? "200 OK" : "503 Service Unavailable", "text/plain",
                    ok ? "ok\n" : "writes are refused\n", *keep_alive, only_head);
  }
  return Response("404 Not Found", "text/plain",
                  "there are /, /state.json, /metrics and /healthz\n", *keep_alive, only_head);
}

}  // namespace cairn::server
