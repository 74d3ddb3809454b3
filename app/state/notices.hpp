// app/state: the window's messages. Each source has at most one; the newest is shown on the card at the lower
// edge, and when it goes the one before is shown again.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace attnscope {

struct Notice {
  /// Answer: reply to the user's last action. Engine: the Document cannot be computed. Backend: another
  /// backend computes than the chosen one. Model: the model cannot be run. Progress: a long task is running.
  /// Success: an action succeeded; the message leaves by itself.
  enum class Source { Answer, Engine, Backend, Model, Progress, Success };
  /// A button on the card.
  enum class Offer { None, ReopenLast };
  /// Which change makes the message untrue and removes it. Document: a change of the Document. Colours: a
  /// change of the Document or of its colours. Step: undo, redo or opening a file; these remove Document and
  /// Colours too.
  enum class Of { Anything, Document, Colours, Step };
  Source source = Source::Answer;
  std::string text;  // one sentence or two
  double until = 0;  // of a Success or an Answer: the ImGui::GetTime() at which it leaves; 0: it stays
  Offer offer = Offer::None;
  Of of = Of::Anything;
  bool is_followed = false;  // follow_document() ran since it was put: a later change removes it
};

class Notices {
 public:
  /// Replaces the source's message; an empty text removes it.
  void say(Notice::Source source, std::string text);
  /// An Answer: stays until it is dismissed or replaced, or until its reading time is over. That time begins
  /// with the first input event.
  void say(std::string text, Notice::Of of = Notice::Of::Anything) {
    put({.source = Notice::Source::Answer, .text = std::move(text), .of = of});
  }
  /// A Success: leaves after the time needed to read it.
  void tell(std::string text, Notice::Offer offer = Notice::Offer::None);
  void tell_of(Notice::Of of, std::string text);

  /// The message of the source; null if it has none.
  const Notice* of(Notice::Source source) const;
  /// The newest message; null if there is none.
  const Notice* newest() const { return list_.empty() ? nullptr : &list_.back(); }
  bool empty() const { return list_.empty(); }
  /// The newest message's text; empty if there is none.
  std::string text() const { return list_.empty() ? std::string() : list_.back().text; }

  /// Whether a message depends on the Document or on its colours.
  bool speak_of_document() const;
  /// Called once a frame, after everything that can change the Document and the colours. If they differ from
  /// the frame before, removes the messages that depend on them and were put before the last call.
  void follow_document(bool is_another, bool other_colours);
  /// Called on undo, redo and opening: removes all messages but those of Of::Anything.
  void leave_step();

  /// Removes the newest message.
  void dismiss();
  void clear() { list_.clear(); }
  /// Seconds from the last frame until the next message leaves by itself; empty if none does.
  std::optional<double> leaves_in() const;
  /// Called once a frame: removes messages whose time is over. The newest stays while the mouse rests on
  /// the card.
  void let_leave(bool rested_on);

 private:
  void put(Notice notice);
  std::vector<Notice> list_;  // the newest last
};

}  // namespace attnscope
