// tests: a Document as a problem of the oracle, and all stages of a Trace compared with the oracle's.
#pragma once

#include <string>

#include "core/analysis/measures.hpp"
#include "core/document/document.hpp"
#include "core/document/trace.hpp"
#include "oracle/block.hpp"
#include "oracle/oracle.hpp"

namespace attnscope::against_oracle {

/// The oracle's numbers for the stages of a Document; empty where a stage does not exist.
struct Expected {
  oracle::Numbers x, normed_x, memory, query_latent, latent, fused, query, key, value, normed_query,
      normed_key, output;
  oracle::Problem problem;  // q and k of it are the rotated ones
  oracle::Answer answer;
  oracle::BlockAnswer block;  // empty without one
};

/// `trace` gives the oracle's input data: token vectors (tested by themselves), LSH buckets and, of dropout,
/// only the shape.
template <class T>
Expected expected(const Document& document, const TraceOf<T>& trace);

/// The first stage that differs and where; empty when none does. `precision`: of the arithmetic, relative to
/// the largest number of a stage that sums products.
template <class T>
std::string difference(const Document& document, const TraceOf<T>& trace, const Expected& expected,
                       double precision);

/// The first measure of a row or head that differs from its definition, read naively off the weights of the
/// trace itself (and, for the dropped mass and log-sum-exp, off the oracle's).
std::string measures_difference(const Document& document, const Trace& trace, const Measures& measures,
                                const Expected& expected);

}  // namespace attnscope::against_oracle
