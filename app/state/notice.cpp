#include "app/state/notice.hpp"

#include <algorithm>
#include <utility>

#include <imgui.h>

#include "app/state/view_state.hpp"

namespace attnscope {
namespace {

constexpr double least_seconds = 4, seconds_a_letter = 0.04, seconds_for_an_offer = 15;
constexpr double stays_after_rest = 1;  // seconds from when the mouse leaves it

bool is_shown(const ViewState& view) { return !view.message.empty() && view.message == view.notice.text; }

}  // namespace

void tell(ViewState& view, std::string text, Notice::Offer offer) {
  const double reading = least_seconds + seconds_a_letter * static_cast<double>(text.size());
  const double seconds = offer == Notice::Offer::None ? reading : std::max(reading, seconds_for_an_offer);
  view.notice = {text, ImGui::GetTime() + seconds, offer};
  view.message = std::move(text);
  view.message_from_engine = false;
}

std::optional<double> leaves_in(const ViewState& view) {
  if (!is_shown(view)) return std::nullopt;
  return std::max(0.0, view.notice.until - ImGui::GetTime());
}

void let_notice_leave(ViewState& view, bool rested_on) {
  if (!is_shown(view)) {
    view.notice = {};
    return;
  }
  const double now = ImGui::GetTime();
  if (rested_on) view.notice.until = std::max(view.notice.until, now + stays_after_rest);
  if (now < view.notice.until) return;
  view.message.clear();
  view.notice = {};
}

}  // namespace attnscope
