#include "app/session/opening.hpp"

#include <string>
#include <utility>

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

bool Opening::is_large(const std::filesystem::path& path) {
  if (is_model_path(path)) return true;
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
