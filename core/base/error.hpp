// core/base: the one exception. Its text is a whole sentence for a person: it names the file or field, what
// was found and what was expected. Thrown at boundaries (files, command line, a Document that cannot be
// computed).
#pragma once

#include <stdexcept>
#include <string>

namespace attnscope {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown inside a stage when its stop token fires; never shown to a person.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

}  // namespace attnscope
