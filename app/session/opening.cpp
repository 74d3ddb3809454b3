#include "app/session/opening.hpp"

#include <fstream>
#include <string>
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

constexpr std::uintmax_t large = 16 << 20;  // bytes, decoded in some hundredths of a second

/// Whether it is a session in a model, whose key comes first, or one that holds a layer of one: models are
/// opened with it.
bool stands_in_model(const std::filesystem::path& path, std::uintmax_t bytes) {
  if (lower_extension(path) != ".json") return false;
  std::string text(static_cast<std::size_t>(bytes), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  const std::size_t at = text.find("\"model\":");
  // How a model is looked at stands in every session, behind this.
  if (at != std::string::npos && at < text.find("\"view\":")) return true;
  return text.find("\"fingerprint\":") != std::string::npos;
}

}  // namespace

bool Opening::is_large(const std::filesystem::path& path) {
  if (is_model_path(path)) return true;
  std::error_code missing;
  const std::uintmax_t bytes = std::filesystem::file_size(path, missing);
  return !missing && (bytes >= large || stands_in_model(path, bytes));
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
