#include "app/session/opening.hpp"

#include <utility>

namespace attnscope {

Opening::Opening(std::filesystem::path path, std::string_view layer, const ViewState& now)
    : path_(std::move(path)) {
  ViewState start;  // all that a session takes over of it
  start.theme = now.theme;
  start.scale = now.scale;
  session_ = std::async(std::launch::async, [this, start, layer = std::string(layer)] {
    return open_session(path_, start, layer, &reading_);
  });
}

Opening::~Opening() { stop_.request_stop(); }

bool Opening::is_large(const std::filesystem::path& path) {
  constexpr std::uintmax_t large = 16 << 20;  // decoded in some hundredths of a second
  std::error_code missing;
  const std::uintmax_t bytes = std::filesystem::file_size(path, missing);
  return !missing && bytes >= large;
}

double Opening::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool Opening::is_ready() const {
  return session_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace attnscope
