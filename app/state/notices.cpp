#include "app/state/notices.hpp"

#include <algorithm>
#include <utility>

#include <imgui_internal.h>

namespace attnscope {
namespace {

constexpr double least_seconds = 4, seconds_a_letter = 0.04, seconds_for_an_offer = 15;
constexpr double stays_after_rest = 1;  // seconds after the mouse leaves the card
constexpr double least_of_answer = 12;  // seconds from the first key or mouse move

bool passes(const Notice& notice) {
  return notice.source == Notice::Source::Success || notice.source == Notice::Source::Answer;
}

}  // namespace

void Notices::put(Notice notice) {
  std::erase_if(list_, [&](const Notice& known) { return known.source == notice.source; });
  if (!notice.text.empty()) list_.push_back(std::move(notice));
}

void Notices::say(Notice::Source source, std::string text) {
  put({.source = source, .text = std::move(text)});
}

void Notices::tell(std::string text, Notice::Offer offer) {
  const double reading = least_seconds + seconds_a_letter * static_cast<double>(text.size());
  const double seconds = offer == Notice::Offer::None ? reading : std::max(reading, seconds_for_an_offer);
  put({.source = Notice::Source::Success,
       .text = std::move(text),
       .until = ImGui::GetTime() + seconds,
       .offer = offer});
}

void Notices::tell_of(Notice::Of of, std::string text) {
  tell(std::move(text));
  list_.back().of = of;
}

bool Notices::speak_of_document() const {
  return std::ranges::any_of(list_, [](const Notice& notice) {
    return notice.of == Notice::Of::Document || notice.of == Notice::Of::Colours;
  });
}

void Notices::follow_document(bool is_another, bool other_colours) {
  std::erase_if(list_, [&](const Notice& notice) {
    if (!notice.is_followed) return false;
    const bool is_coloured = notice.of == Notice::Of::Colours;
    return (is_another && (is_coloured || notice.of == Notice::Of::Document)) ||
           (other_colours && is_coloured);
  });
  for (Notice& notice : list_) notice.is_followed = true;
}

void Notices::leave_step() {
  std::erase_if(list_, [](const Notice& notice) { return notice.of != Notice::Of::Anything; });
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
  std::optional<double> soonest;
  for (const Notice& notice : list_) {
    if (!passes(notice) || notice.until == 0) continue;
    const double left = std::max(0.0, notice.until - ImGui::GetTime());
    soonest = std::min(soonest.value_or(left), left);
  }
  return soonest;
}

void Notices::let_leave(bool rested_on) {
  const double now = ImGui::GetTime();
  const bool has_input = !ImGui::GetCurrentContext()->InputEventsTrail.empty();  // of this frame
  for (Notice& notice : list_)
    if (notice.source == Notice::Source::Answer && notice.until == 0 && has_input)
      notice.until = now + least_of_answer + seconds_a_letter * static_cast<double>(notice.text.size());
  if (rested_on && !list_.empty() && list_.back().until > 0)
    list_.back().until = std::max(list_.back().until, now + stays_after_rest);
  std::erase_if(list_, [&](const Notice& notice) { return notice.until > 0 && now >= notice.until; });
}

}  // namespace attnscope
