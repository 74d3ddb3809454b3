// app/state: undo. A list of steps: a Document, the look (Viewing) and the held state B. Documents are
// values that share their texts and blocks of numbers.
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

/// The user's input in a frame.
struct Hand {
  bool busy = false;  // a button is held, a text field is active, text is generated: the step is not finished
  bool acted = true;  // a key, a button or the wheel was used; else the program itself changed the look
  bool pressed = true;  // a key or button went down. After undo or redo, the release of a key or a modifier
                        // alone does not count as `acted`
};

/// The held state B without its result: it is computed again when a step brings it back.
struct HeldThen {
  Document document;
  double seconds = 0;  // when it was held, on the clock of observe()
};
using HeldThenPtr = std::shared_ptr<const HeldThen>;  // null: nothing is held

/// The file or lesson that was opened. All steps share it until another one is opened.
struct Origin {
  std::filesystem::path file;                           // where saving writes; empty: no file yet
  std::optional<std::filesystem::file_time_type> time;  // its write time when it was opened or saved
  Document saved;                                       // the content of the file
};
using OriginPtr = std::shared_ptr<Origin>;

/// A value: assigning an earlier copy restores that history (steps share their texts and blocks).
class History {
 public:
  struct Step {
    Document document;
    Viewing look;
    HeldThenPtr held = {};  // B when this step was last on screen
    /// In the list: the step before has another B, and undo or redo between the two steps exchanges B. In the
    /// result of undo() and redo(): whether the caller restores `held`; else B stays as it is.
    bool takes_held = false;
    OriginPtr origin = {};  // the opened file or lesson that this step changes
  };
  /// Limits on the number of steps, and on the bytes of their texts and blocks; the oldest steps go first.
  static constexpr std::size_t max_steps = 200;
  static constexpr std::size_t max_bytes = std::size_t{256} << 20;

  /// Called after every frame. A change becomes a step once the input is no longer busy, so that a drag is
  /// one step; while the input is busy, once the Document has not changed for a second. Looks that differ
  /// only in their place make one step as long as nothing else changes. A change of the look without
  /// input belongs to the present step.
  void observe(const Document&, const Viewing&, Hand, double seconds);

  /// Called before another Document replaces this one: an unfinished change becomes a step.
  void end_step(const Document&, const Viewing&);

  /// A new result changed the look of this Document from `before` to `after`: the present step takes the new
  /// look, no step is added.
  void follow(const Document&, const Viewing& before, const Viewing& after);

  /// Sets B, null if nothing is held. Call it before every observe(), undo() and redo(). Holding a state is
  /// no step: B stays and is compared with the Document that undo restores.
  void holds(const HeldThen*);
  /// Sets the origin of the present step and of those that follow. Call it before every observe().
  void belong_to(OriginPtr origin) { origin_ = std::move(origin); }
  /// The B of the last holds() is released or replaced in this frame. If the user did it, it is a step even
  /// when nothing else changes; else it belongs to the present step.
  void leave_held();

  /// One step back or forward; nothing at the end of the list. A change since the last step becomes a step
  /// first. Changes of the look in the same frame are not a step.
  std::optional<Step> undo(const Document&, const Viewing&);
  std::optional<Step> redo(const Document&, const Viewing&);

  /// Number of steps that undo can go back.
  std::size_t depth() const { return past_.size(); }
  /// Whether redo has a step; a change discards the steps ahead.
  bool can_redo() const { return !future_.empty(); }
  /// The steps that undo leads to, the next one last.
  const std::deque<Step>& past() const { return past_; }
  /// Number of steps recorded so far, with those discarded since.
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
  HeldThenPtr held_;                 // B now
  std::optional<HeldThenPtr> left_;  // B before it was released or replaced; nothing: neither happened
  bool left_by_hand_ = false;
  std::uint64_t recorded_ = 0;
  bool present_is_place_ = false;  // the present step differs from the one before in its place only
  bool stepped_ = false;           // undo or redo ran in this frame
  bool acted_ = false;             // input changed the look since the present step
  bool is_step_last_ = false;      // no key or button went down since the last undo or redo
};

/// A step that undo or redo restored, until its Document and its B are computed.
struct ComingStep {
  Viewing look;
  std::uint64_t steps = 0;  // recorded() at that time
  HeldThenPtr held = {};    // restored if the look shows a difference that needs this B
};

}  // namespace attnscope
