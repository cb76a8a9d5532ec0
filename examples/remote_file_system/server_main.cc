// remote_server DIRECTORY [PORT]: serves reads of the files under DIRECTORY on 127.0.0.1 until its
// standard input ends. Prints the port first, and at last what it has done.

#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>

#include "remote_file_system/remote_server.h"

int main(int argc, char** argv) {
  uint16_t port = 0;
  if (argc == 3) {
    const char* const end = argv[2] + std::strlen(argv[2]);
    const auto [parsed, error] = std::from_chars(argv[2], end, port);
    if (error != std::errc() || parsed != end) argc = 0;
  }
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "remote_server DIRECTORY [PORT]\n");
    return 1;
  }
  std::error_code failure;
  const std::filesystem::path directory = std::filesystem::canonical(argv[1], failure);
  if (failure) {
    std::fprintf(stderr, "%s: %s\n", argv[1], failure.message().c_str());
    return 1;
  }
  std::string error;
  const auto server = remote::RemoteServer::Start(directory.string(), port, &error);
  if (server == nullptr) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  std::printf("%d\n", server->port());
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
  }
  std::printf("requests: %lld, at most %d at once\n", static_cast<long long>(server->requests()),
              server->most_in_flight());
  return 0;
}
