#include "app/session/opening.hpp"

#include <string>
#include <utility>

#include "app/state/window_state.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {

namespace {

constexpr std::uintmax_t large = 16 << 20;  // bytes, decoded in some hundredths of a second

}  // namespace

void Opening::Arriving::tell(bool is_long) {
  takes_long = takes_long || is_long;
  is_known = true;
  is_known.notify_all();
}

Opening::Opening(std::filesystem::path path, std::string_view layer, const ViewState& now)
    : path_(std::move(path)) {
  ViewState start;  // a session takes over no more of it
  start.theme = now.theme;
  start.scale = now.scale;
  start.language = now.language;
  task_ = std::make_shared<Task<Session, Arriving>>(
      [path = path_, start, layer = std::string(layer)](const std::stop_token& stop, Arriving& reading) {
        reading.stop = stop;
        reading.opens_model = [&reading] { reading.tell(true); };
        struct AtTheEnd {
          Arriving& reading;
          ~AtTheEnd() { reading.tell(false); }
        } const at_the_end{reading};
        return open_session(path, start, layer, &reading);
      });
  worker_.add(task_);
}

bool Opening::is_soon_ready() const {
  std::error_code missing;
  const std::uintmax_t bytes = std::filesystem::file_size(path_, missing);
  if (is_model_path(path_) || (!missing && bytes >= large)) return false;
  task_->progress().is_known.wait(false);
  if (task_->progress().takes_long) return false;
  worker_.wait();
  return true;
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
