#include "app/state/notices.hpp"

#include <algorithm>
#include <utility>

#include <imgui.h>

namespace attnscope {
namespace {

constexpr double least_seconds = 4, seconds_a_letter = 0.04, seconds_for_an_offer = 15;
constexpr double stays_after_rest = 1;  // seconds from when the mouse leaves it

}  // namespace

void Notices::put(Notice notice) {
  std::erase_if(list_, [&](const Notice& known) { return known.source == notice.source; });
  if (!notice.text.empty()) list_.push_back(std::move(notice));
}

void Notices::say(Notice::Source source, std::string text) { put({source, std::move(text)}); }

void Notices::tell(std::string text, Notice::Offer offer) {
  const double reading = least_seconds + seconds_a_letter * static_cast<double>(text.size());
  const double seconds = offer == Notice::Offer::None ? reading : std::max(reading, seconds_for_an_offer);
  put({Notice::Source::Success, std::move(text), ImGui::GetTime() + seconds, offer});
}

const Notice* Notices::of(Notice::Source source) const {
  const auto found =
      std::find_if(list_.begin(), list_.end(), [&](const Notice& notice) { return notice.source == source; });
  return found == list_.end() ? nullptr : &*found;
}

void Notices::dismiss() {
  if (!list_.empty()) list_.pop_back();
}

std::optional<double> Notices::leaves_in() const {
  const Notice* passing = of(Notice::Source::Success);
  if (passing == nullptr) return std::nullopt;
  return std::max(0.0, passing->until - ImGui::GetTime());
}

void Notices::let_leave(bool rested_on) {
  const double now = ImGui::GetTime();
  if (rested_on && !list_.empty() && list_.back().source == Notice::Source::Success)
    list_.back().until = std::max(list_.back().until, now + stays_after_rest);
  std::erase_if(list_, [&](const Notice& notice) {
    return notice.source == Notice::Source::Success && now >= notice.until;
  });
}

}  // namespace attnscope
