#include "app/window/running_window.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <stop_token>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr int answer_seconds = 2;
constexpr std::size_t longest_request = 1 << 16;
constexpr std::string_view accepted = "ok\n";

std::string variable_of_session(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// Makes a folder in which no other user can make a socket. Throws Error.
fs::path own_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) throw system_error("write", folder);
  struct stat found {};
  if (::lstat(folder.c_str(), &found) != 0) throw system_error("read", folder);
  if (!S_ISDIR(found.st_mode) || found.st_uid != ::geteuid() || (found.st_mode & 077) != 0)
    throw Error(fmt::format("{} is not a folder of yours alone: windows cannot be found through it.",
                            in_quotes(folder.native())));
  return folder;
}

std::optional<sockaddr_un> address_of(const fs::path& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string& name = socket.native();
  if (name.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, name.data(), name.size());
  return address;
}

Descriptor new_socket() { return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

void limit_waits(const Descriptor& socket) {
  const timeval limit{answer_seconds, 0};
  static_cast<void>(::setsockopt(socket.number(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit));
  static_cast<void>(::setsockopt(socket.number(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit));
}

/// Whether the program at the other end belongs to this user.
bool is_of_us(const Descriptor& socket) {
  ucred other{};
  socklen_t size = sizeof other;
  return ::getsockopt(socket.number(), SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 &&
         other.uid == ::geteuid();
}

bool send_all(const Descriptor& socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket.number(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// Reads one line with its newline; incomplete if the other end stops, takes too long or sends too much.
std::string receive_line(const Descriptor& socket) {
  std::string line;
  std::array<char, 4096> piece{};
  while (!line.ends_with('\n') && line.size() < longest_request) {
    const ssize_t got = ::recv(socket.number(), piece.data(), piece.size(), 0);
    if (got <= 0) break;
    line.append(piece.data(), static_cast<std::size_t>(got));
  }
  return line;
}

std::optional<OpenRequest> request_from(const std::string& line) {
  const nlohmann::json asked = nlohmann::json::parse(line, nullptr, false);
  if (!asked.is_object() || !asked.contains("open") || !asked["open"].is_string()) return std::nullopt;
  OpenRequest request{asked["open"].get<std::string>(), {}};
  if (asked.contains("layer") && asked["layer"].is_string())
    request.layer = asked["layer"].get<std::string>();
  if (!request.file.is_absolute()) return std::nullopt;
  return request;
}

}  // namespace

fs::path window_socket() {
  const fs::path runtime = variable_of_session("XDG_RUNTIME_DIR");
  const fs::path folder =
      runtime.is_absolute() && ::access(runtime.c_str(), W_OK | X_OK) == 0
          ? own_folder(runtime / "attnscope")
          : own_folder(fs::temp_directory_path() / fmt::format("attnscope-{}", ::geteuid()));
  std::string display = variable_of_session("WAYLAND_DISPLAY");
  if (display.empty()) display = variable_of_session("DISPLAY");
  std::ranges::replace_if(
      display, [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
  return folder / ("window" + display);
}

bool ask_running_window(const fs::path& path, const OpenRequest& request) {
  const std::optional<sockaddr_un> address = address_of(path);
  const Descriptor socket = new_socket();
  if (!address || !socket) return false;
  limit_waits(socket);
  if (::connect(socket.number(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 ||
      !is_of_us(socket))
    return false;
  const nlohmann::json asked{{"open", request.file.native()}, {"layer", request.layer}};
  const std::string line = asked.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
  return send_all(socket, line) && receive_line(socket) == accepted;
}

WindowDoor::WindowDoor(const fs::path& path) : path_(path) {
  const std::optional<sockaddr_un> address = address_of(path);
  if (!address) return;
  // The process that has the lock may remove the socket of a killed program; the lock file stays.
  lock_ =
      Descriptor(::open((path.native() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock_ || ::flock(lock_.number(), LOCK_EX | LOCK_NB) != 0) return;
  ::unlink(path.c_str());
  Descriptor socket = new_socket();
  bell_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!socket || !bell_ ||
      ::bind(socket.number(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 ||
      ::chmod(path.c_str(), 0600) != 0 || ::listen(socket.number(), 8) != 0)
    return;
  socket_ = std::move(socket);
  worker_.add(std::make_shared<Errand>([this](const std::stop_token& stop, NoProgress&) {
    listen(stop);
    return std::monostate();
  }));
}

WindowDoor::~WindowDoor() {
  if (is_open()) ::unlink(path_.c_str());
}

void WindowDoor::when_asked(std::function<void()> fn) {
  const std::lock_guard guard(mutex_);
  tell_ = std::move(fn);
}

std::optional<OpenRequest> WindowDoor::take() {
  const std::lock_guard guard(mutex_);
  if (asked_.empty()) return std::nullopt;
  OpenRequest first = std::move(asked_.front());
  asked_.pop_front();
  return first;
}

void WindowDoor::listen(const std::stop_token& stop) {
  const std::stop_callback quit(stop, [this] { static_cast<void>(::eventfd_write(bell_.number(), 1)); });
  while (!stop.stop_requested()) {
    std::array<pollfd, 2> either{pollfd{socket_.number(), POLLIN, 0}, pollfd{bell_.number(), POLLIN, 0}};
    if (::poll(either.data(), either.size(), -1) < 0 && errno != EINTR) return;
    if (stop.stop_requested() || (either[0].revents & POLLIN) == 0) continue;
    const Descriptor caller(::accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (caller && is_of_us(caller)) hear(caller);
  }
}

void WindowDoor::hear(const Descriptor& caller) {
  limit_waits(caller);
  std::optional<OpenRequest> request = request_from(receive_line(caller));
  if (!request) {
    static_cast<void>(send_all(caller, "no request\n"));
    return;
  }
  {
    const std::lock_guard guard(mutex_);
    asked_.push_back(std::move(*request));
    if (tell_) tell_();
  }
  static_cast<void>(send_all(caller, accepted));
}

}  // namespace attnscope
