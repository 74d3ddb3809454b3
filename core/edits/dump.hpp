// core/edits: what the user states about tensors from a file: labels of their rows and columns, whether they
// are causal and whether positions are applied; and moving from one layer of a file to another.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/document/document.hpp"

namespace attnscope {

/// What the user states when opening a file; anything else stays as in the file, or as guessed.
struct Answers {
  std::optional<bool> causal;
  std::optional<Positions> positions;  // None: already applied to queries and keys
  bool operator==(const Answers&) const = default;
};

/// Whether the setting is a guess that the user has not confirmed or corrected.
bool is_causal_guessed(const Document&);
/// For files with weights only: how their axes were read, how much weight goes to no key, and which rows hold
/// NaN; empty if there is nothing to report.
std::string weights_note(const Document&);
bool are_positions_guessed(const Document&);

/// If there are more given keys than queries, a causal mask treats the queries as the last of the keys, as
/// with a cache.
void align_causal(Document&);

}  // namespace attnscope

namespace attnscope::edit {

/// Sets the value, which is then no longer a guess.
Document causal(Document, bool causal);
Document positions(Document, Positions);
Document answered(Document, const Answers&);

/// The labels in a text: words separated by white space, or the strings of a JSON array. Empty if their
/// number is not `expected`; `found` is their number.
std::vector<std::string> labels_of(std::string_view text, std::size_t expected, std::size_t& found);
/// Sets the labels of sequence `b` of given tensors from a text. A text with another number of labels is kept
/// but does not change the labels; an empty one restores the numbers 0, 1, 2, … Throws Error when the text is
/// not valid UTF-8.
Document labels(Document, std::size_t b, std::string text);

/// The text of the labels 0, 1, 2, …, and that of a sequence's labels.
std::string numbered_text(const Document&, std::size_t b);
std::string joined_labels(const Sequence&);

/// `next`, a layer of the file that `shown` came from, with the settings of `shown`: mask, scale, positions,
/// softmax, and labels if their number fits. Settings of single heads and numbers of `shown` are not copied.
Document with_settings_of(Document next, const Document& shown);

}  // namespace attnscope::edit
