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
  /// What makes it untrue. Document: another one, what was just opened or changed having changed again.
  /// Colours: that, and other colours. Step: undo, redo and opening.
  enum class Of { Anything, Document, Colours, Step };
  Source source = Source::Answer;
  std::string text;  // one sentence or two
  double until = 0;  // on Dear ImGui's clock, of a Success and an Answer; 0: as long as it is true
  Offer offer = Offer::None;
  Of of = Of::Anything;
  bool is_followed = false;  // of a Document that has been seen by follow_document()
};

class Notices {
 public:
  /// Takes the place of what the source said before; an empty text: it has nothing to say any more.
  void say(Notice::Source source, std::string text);
  /// An answer: it stays until it is dismissed or there is another one, or until a person who is there had
  /// ample time to read it.
  void say(std::string text, Notice::Of of = Notice::Of::Anything) {
    put({.source = Notice::Source::Answer, .text = std::move(text), .of = of});
  }
  /// Says what went well: it leaves when there was time enough to read it.
  void tell(std::string text, Notice::Offer offer = Notice::Offer::None);
  void tell_of(Notice::Of of, std::string text);

  /// What that source says; null where it says nothing.
  const Notice* of(Notice::Source source) const;
  /// The newest; null where nothing is said.
  const Notice* newest() const { return list_.empty() ? nullptr : &list_.back(); }
  bool empty() const { return list_.empty(); }
  /// The newest one's; empty where nothing is said.
  std::string text() const { return list_.empty() ? std::string() : list_.back().text; }

  /// Whether one is true of the Document alone that is there, or of its colours.
  bool speak_of_document() const;
  /// Once a frame, when everything that changes Document and colours has done so: where they are others
  /// than in the frame before, what was said of those goes; what was said since is of these.
  void follow_document(bool is_another, bool other_colours);
  /// Undo, redo or opening: what was said of a change goes.
  void leave_step();

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
