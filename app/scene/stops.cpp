#include "app/scene/stops.hpp"

#include <algorithm>
#include <utility>

#include "app/kit/widgets/keyboard_focus.hpp"

namespace attnscope {

void take_keyboard(KeyboardState& keyboard) {
  take_keyboard_here();
  ImGui::SetNavCursorVisible(true);
  keyboard.wanted.reset();
}

Stops::Stops(KeyboardState& keyboard, const std::vector<Stop>& there) : keyboard_(keyboard) {
  const int turn = std::exchange(keyboard_.turn, 0);
  if (turn == 0 || there.empty()) return;
  const auto count = static_cast<int>(there.size());
  const auto now = keyboard_.now ? std::find(there.begin(), there.end(), *keyboard_.now) : there.end();
  const auto at = static_cast<int>(now - there.begin());
  const int next = now == there.end() ? (turn > 0 ? 0 : count - 1) : (at + turn + count) % count;
  keyboard_.wanted = there[static_cast<std::size_t>(next)];
}

void Stops::take(Stop stop) {
  take_keyboard(keyboard_);
  now_ = stop;
}

Stops::~Stops() {
  keyboard_.now = keyboard_.wanted ? keyboard_.wanted : now_;
  keyboard_.wanted.reset();
}

}  // namespace attnscope
