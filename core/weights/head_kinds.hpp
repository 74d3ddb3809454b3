// core/weights: what each kind of hand-built head looks at, as channels; see hand_built.hpp for the formulas.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "core/weights/hand_built.hpp"

namespace attnscope {

/// A linear form of a row of X: one coefficient per dimension.
using LinearForm = std::vector<double>;

/// Adds gain · query(x_i) · key(x_j) to the scaled score of query i and key j.
struct Channel {
  double gain = 0;  // never negative
  LinearForm query, key;
};

struct BuiltHead {
  std::string_view name;
  std::vector<Channel> (*channels)(const HandBuiltLayout&);  // the most telling first
  double random;  // standard deviation of weights of no meaning, x 1/sqrt(d_model)
};
extern const std::array<BuiltHead, 8> head_kinds;

/// κ_-1: the token after. None of the eight, as a causal mask hides it.
std::vector<Channel> next_token(const HandBuiltLayout&);

/// first + factor · second.
LinearForm sum(LinearForm first, const LinearForm& second, double factor = 1);

}  // namespace attnscope
