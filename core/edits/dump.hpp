// core/edits: what a person says of tensors that came from a file: labels of their rows and columns, whether
// they are causal and whether positions are applied; and the way from one layer of a file to another.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/document/document.hpp"

namespace attnscope {

/// What is said about a file when it is opened; what is not said stays as the file has it, or as guessed.
struct Answers {
  std::optional<bool> causal;
  std::optional<Positions> positions;  // None: queries and keys have theirs already
  bool operator==(const Answers&) const = default;
};

/// Whether something is shown that was guessed and has not been answered yet.
bool is_causal_guessed(const Document&);
/// Of weights alone: how their axes were taken, what of them went to no key, and which rows hold NaN; empty
/// where nothing needs saying.
std::string weights_note(const Document&);
bool are_positions_guessed(const Document&);

/// Where given keys are more than the queries, a causal mask takes the queries for the last of them, as
/// behind a cache.
void align_causal(Document&);

}  // namespace attnscope

namespace attnscope::edit {

/// Says it; then it is no guess any more.
Document causal(Document, bool causal);
Document positions(Document, Positions);
Document answered(Document, const Answers&);

/// The labels that a text names for so many tokens: words separated by white space, or the strings of a JSON
/// array. Empty when they are more or fewer; `found` is how many there were.
std::vector<std::string> labels_of(std::string_view text, std::size_t expected, std::size_t& found);
/// Types the labels of sequence `b` of given tensors. A text with another number of labels is kept as it is
/// and leaves the labels; an empty one brings back the numbers 0, 1, 2, … Throws Error when the text is not
/// valid UTF-8.
Document labels(Document, std::size_t b, std::string text);

/// The text of a sequence whose labels are the numbers 0, 1, 2, …, and of one with the labels it has.
std::string numbered_text(const Document&, std::size_t b);
std::string joined_labels(const Sequence&);

/// `next`, a layer of the file that `shown` came from, with the settings of `shown`: mask, scale, positions,
/// softmax, labels where there are as many. What belongs to single heads or numbers of `shown` stays there.
Document with_settings_of(Document next, const Document& shown);

}  // namespace attnscope::edit
