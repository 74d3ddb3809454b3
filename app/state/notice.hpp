// app/state: messages that leave by themselves. Whatever else the window says stays until it is dismissed.
#pragma once

#include <optional>
#include <string>

namespace attnscope {

struct ViewState;

/// Goes with the message of the view whose text it is; another message is none of its business.
struct Notice {
  /// A button that does what the notice is about.
  enum class Offer { None, ReopenLast };
  std::string text;
  double until = 0;  // on Dear ImGui's clock
  Offer offer = Offer::None;
};

/// Says what went well: it leaves when there was time enough to read it.
void tell(ViewState&, std::string text, Notice::Offer offer = Notice::Offer::None);
/// In how many seconds, from the last frame on, the message leaves; empty when none does.
std::optional<double> leaves_in(const ViewState&);
/// Takes it away when its time has come; while the mouse rests on it, it stays.
void let_notice_leave(ViewState&, bool rested_on);

}  // namespace attnscope
