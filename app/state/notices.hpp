// app/state: what the window has to say. Each source has at most one sentence; the newest stands on the card
// at the lower edge, and when it goes the one before comes back.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace attnscope {

struct Notice {
  /// Answer: to what a person has just done, or what must be known of it. Engine: the Document cannot be
  /// computed. Backend: another one computes than the one that was chosen. Model: the model cannot be run.
  /// Progress: something is on its way.
  /// Success: leaves by itself.
  enum class Source { Answer, Engine, Backend, Model, Progress, Success };
  /// A button that does what the notice is about.
  enum class Offer { None, ReopenLast };
  Source source = Source::Answer;
  std::string text;  // one sentence or two
  double until = 0;  // on Dear ImGui's clock, of a Success and an Answer; 0: as long as it is true
  Offer offer = Offer::None;
};

class Notices {
 public:
  /// Takes the place of what the source said before; an empty text: it has nothing to say any more.
  void say(Notice::Source source, std::string text);
  /// An answer: it stays until it is dismissed or there is another one, or until a person who is there had
  /// ample time to read it.
  void say(std::string text) { say(Notice::Source::Answer, std::move(text)); }
  /// Says what went well: it leaves when there was time enough to read it.
  void tell(std::string text, Notice::Offer offer = Notice::Offer::None);

  /// What that source says; null where it says nothing.
  const Notice* of(Notice::Source source) const;
  /// The newest; null where nothing is said.
  const Notice* newest() const { return list_.empty() ? nullptr : &list_.back(); }
  bool empty() const { return list_.empty(); }
  /// The newest one's; empty where nothing is said.
  std::string text() const { return list_.empty() ? std::string() : list_.back().text; }

  /// Takes the newest away.
  void dismiss();
  void clear() { list_.clear(); }
  /// In how many seconds, from the last frame on, the next one leaves; empty when none does.
  std::optional<double> leaves_in() const;
  /// Once a frame: those whose time has come go; while the mouse rests on the card, the newest stays.
  void let_leave(bool rested_on);

 private:
  void put(Notice notice);
  std::vector<Notice> list_;  // the newest last
};

}  // namespace attnscope
