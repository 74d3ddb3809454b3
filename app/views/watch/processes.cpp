// app/views/watch: the choice of a process.
#include <algorithm>

#include <fmt/format.h>

#include "app/kit/ui/own_words.hpp"
#include "app/kit/widgets/widgets.hpp"
#include "app/state/window_state.hpp"
#include "app/views/watch/parts.hpp"
#include "app/views/watch/watch.hpp"

namespace attnscope {
namespace {

/// "python 41822"; for a process with several streams also the number of the watch.
std::string process_name(const FoundStream& stream, std::span<const FoundStream> all) {
  const std::string pid = own(std::to_string(stream.process.pid));
  const auto of_process = std::ranges::count_if(
      all, [&](const FoundStream& other) { return other.process.pid == stream.process.pid; });
  if (of_process < 2) return "python " + pid;
  return fmt::format("python {}, watch {}", pid, own(std::to_string(stream.number)));
}

void choose_process(WatchState& state, const FoundStream& stream) {
  state.wanted = stream.path;
  state.is_chosen = true;
  state.paused = false;  // the new process has its own picture
}

}  // namespace

std::vector<FoundStream> watched_choices(const WatchConnection& connection) {
  std::vector<FoundStream> all;
  for (const FoundStream& stream : connection.all)
    if ((stream.alive && !stream.closed) || stream.path == connection.path) all.push_back(stream);
  return all;
}

std::string watched_process(const WatchConnection& connection) {
  const std::vector<FoundStream> all = watched_choices(connection);
  const auto now = std::ranges::find(all, connection.path, &FoundStream::path);
  return now == all.end() ? "python " + own(std::to_string(connection.process.pid)) : process_name(*now, all);
}

void list_watched_processes(Scene& scene) {
  WatchState& state = *scene.view.watch;
  if (!state.shown) return;
  const std::vector<FoundStream> all = watched_choices(state.shown->connection);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string label = process_name(all[i], all) + "###watched process " + std::to_string(i);
    const bool is_shown = all[i].path == state.shown->connection.path;
    if (menu_row(scene.ui, label.c_str(), own(all[i].module), is_shown)) choose_process(state, all[i]);
  }
}

void watch_next_process(Scene& scene) {
  WatchState& state = *scene.view.watch;
  show_watch(scene);
  const std::vector<FoundStream> all =
      state.shown ? watched_choices(state.shown->connection) : std::vector<FoundStream>();
  if (all.size() < 2) return scene.view.notices.say("No other process sends its attention.");
  const auto now = std::ranges::find(all, state.shown->connection.path, &FoundStream::path);
  const auto next = now == all.end() ? 0 : (now - all.begin() + 1) % std::ssize(all);
  choose_process(state, all[static_cast<std::size_t>(next)]);
}

}  // namespace attnscope
