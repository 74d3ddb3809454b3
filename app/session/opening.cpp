#include "app/session/opening.hpp"

#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "core/files/formats/posix.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {

Opening::Opening(std::filesystem::path path, std::string_view layer, const ViewState& now)
    : path_(std::move(path)) {
  ViewState start;  // all that a session takes over of it
  start.theme = now.theme;
  start.scale = now.scale;
  task_ = std::make_shared<Task<Session, Reading>>(
      [path = path_, start, layer = std::string(layer)](const std::stop_token& stop, Reading& reading) {
        reading.stop = stop;
        return open_session(path, start, layer, &reading);
      });
  worker_.add(task_);
}

namespace {

/// Whether it is a session in a model, which is opened with it: its key comes first.
bool stands_in_model(const std::filesystem::path& path) {
  if (lower_extension(path) != ".json") return false;
  std::array<char, 4096> begin{};
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), begin.size());
  const std::string_view text(begin.data(), static_cast<std::size_t>(file.gcount()));
  const std::size_t at = text.find("\"model\":");
  // How a model is looked at stands in every session, behind this.
  return at != std::string_view::npos && at < text.find("\"view\":");
}

}  // namespace

bool Opening::is_large(const std::filesystem::path& path) {
  if (is_model_path(path) || stands_in_model(path)) return true;
  constexpr std::uintmax_t large = 16 << 20;  // decoded in some hundredths of a second
  std::error_code missing;
  const std::uintmax_t bytes = std::filesystem::file_size(path, missing);
  return !missing && bytes >= large;
}

double Opening::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

Session Opening::take() {
  worker_.wait();
  if (!task_->result()) throw Error(task_->error());
  return task_->take();
}

}  // namespace attnscope
