// app/state: undo. A list of steps: Documents, which are values and share their texts and blocks of numbers,
// each with how it was looked at and what was held beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/state/viewing.hpp"
#include "core/document/document.hpp"

namespace attnscope {

/// What the person is doing in a frame.
struct Hand {
  bool busy = false;  // a held mouse button, a text field: a step is not finished yet
  bool acted =
      true;  // a key, a button or the wheel; else what changed of the look is the program's own doing
  bool pressed = true;  // of that, something that went down: after a step back or forward what comes up, or a
                        // key that is only held with others, acts no more
};

/// What is held as B: computed again when it comes back, so that no result is kept.
struct HeldThen {
  Document document;
  double seconds = 0;  // when it was held, of the caller's clock
};
using HeldThenPtr = std::shared_ptr<const HeldThen>;  // null: nothing is held

/// What was opened, a file or a lesson: shared by all steps from there on until something else is opened.
struct Origin {
  std::filesystem::path file;                           // where saving writes; empty: nowhere yet
  std::optional<std::filesystem::file_time_type> time;  // of the file, when it was opened or saved
  Document saved;                                       // as the file has it
};
using OriginPtr = std::shared_ptr<Origin>;

/// A value: a copy brings back what was there when it was made (steps share their texts and blocks).
class History {
 public:
  struct Step {
    Document document;
    Viewing look;
    HeldThenPtr held = {};  // when it was there last
    /// In the list: the step before holds something else, and going over the two exchanges it. In what undo()
    /// and redo() return: whether `held` comes with the step; else what is held stays.
    bool takes_held = false;
    OriginPtr origin = {};  // whose changes these are
  };
  /// Steps, and bytes of texts and blocks, that are kept; the oldest go first.
  static constexpr std::size_t max_steps = 200;
  static constexpr std::size_t max_bytes = std::size_t{256} << 20;

  /// Called after every frame. What changed becomes a step once no hand is busy with it, so that a drag is
  /// one step; a Document that a hand is busy with, once it has rested for a second. Looks that differ only
  /// in the chosen cell make one step as long as nothing else changes. A look that no hand changed belongs to
  /// the step that is there.
  void observe(const Document&, const Viewing&, Hand, double seconds);

  /// Another Document takes its place now: what a hand was still busy with in this one becomes a step.
  void end_step(const Document&, const Viewing&);

  /// The look of this Document was changed from `before` to `after` by what was computed: no step of its own.
  void follow(const Document&, const Viewing& before, const Viewing& after);

  /// What is held now, null where nothing is: said before every observe(), undo() and redo(). To hold
  /// something is no step: it is compared with what undo brings back.
  void holds(const HeldThen*);
  /// Whose changes the steps are: said before every observe().
  void belong_to(OriginPtr origin) { origin_ = std::move(origin); }
  /// What holds() said last is released or replaced in this frame. Where the person did it, it is a step even
  /// when nothing else changes; else it belongs to the step that is there.
  void leave_held();

  /// One step back or forward from what is there; nothing at the end of the list. What changed since the last
  /// step becomes a step first. What changes of the look in the same frame is not a step.
  std::optional<Step> undo(const Document&, const Viewing&);
  std::optional<Step> redo(const Document&, const Viewing&);

  /// Steps that lead back from here.
  std::size_t depth() const { return past_.size(); }
  /// Whether steps lead forward from here: a change forgets them.
  bool can_redo() const { return !future_.empty(); }
  /// The Documents that undo leads to, the next one last.
  const std::deque<Step>& past() const { return past_; }
  /// Steps recorded so far, those that were forgotten too.
  std::uint64_t recorded() const { return recorded_; }

 private:
  void record(const Document&, const Viewing&);
  void record_changes(const Document&, const Viewing&);
  bool is_held_left() const;
  bool note_left(Hand);

  std::optional<Step> present_;   // the last step; nothing before the first frame
  std::deque<Step> past_;         // oldest first
  std::vector<Step> future_;      // the next to redo last
  std::optional<Document> seen_;  // changed, but not yet a step
  double seen_at_ = 0;
  OriginPtr origin_;
  HeldThenPtr held_;                 // now
  std::optional<HeldThenPtr> left_;  // before it was released or replaced; nothing: it was not
  bool left_by_hand_ = false;
  std::uint64_t recorded_ = 0;
  bool present_is_place_ = false;  // the last step differs from the one before in its place only
  bool stepped_ = false;           // back or forward in this frame
  bool acted_ = false;             // a look that differs from the last step's is a person's doing
  bool is_step_last_ = false;      // nothing was pressed since the last step back or forward
};

/// A step that was gone back to, until its Document, and what it held, is computed.
struct ComingStep {
  Viewing look;
  std::uint64_t steps = 0;  // recorded() then
  HeldThenPtr held = {};    // taken where the look is at a difference that is not there without it
};

}  // namespace attnscope
