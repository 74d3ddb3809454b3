#include "app/scene/head_words.hpp"

#include <cmath>

#include "app/kit/ui/number_format.hpp"

namespace attnscope {

InterventionWords words(Intervention::Kind kind) {
  switch (kind) {
    case Intervention::Kind::None: break;
    case Intervention::Kind::Mute: return {"Mute", "adds nothing", "muted", "Ablation: zero."};
    case Intervention::Kind::Uniform:
      return {"Uniform", "1 / allowed keys", "= uniform", "Intervention: uniform."};
    case Intervention::Kind::PreviousToken:
      return {"Previous token", "all on p − 1", "= previous", "Intervention: previous token."};
    case Intervention::Kind::Identity:
      return {"Same token", "all on p", "= same", "Intervention: same token."};
    case Intervention::Kind::FirstToken:
      return {"First token", "all on 0", "= first", "Intervention: first token."};
    case Intervention::Kind::Frozen:
      return {"Freeze the pattern", "whatever changes", "= frozen", "Intervention: pattern frozen."};
    case Intervention::Kind::Mean:
      return {"Mean of its rows", "for every query", "= mean", "Ablation: mean."};
  }
  return {"Its own", "", "", ""};
}

namespace {

Intervention::Kind intervention_on(const Document& document, std::int64_t head) {
  const std::vector<Intervention>& all = document.layer().interventions;
  return head < std::ssize(all) ? all[static_cast<std::size_t>(head)].kind : Intervention::Kind::None;
}

}  // namespace

bool is_head_muted(const Document& document, std::int64_t head) {
  return intervention_on(document, head) == Intervention::Kind::Mute;
}

bool is_head_out(const Document& document, std::int64_t head) {
  const Intervention::Kind kind = intervention_on(document, head);
  return kind == Intervention::Kind::Mute || kind == Intervention::Kind::Mean;
}

namespace {

/// The scores of a head over all sequences, each row counted once.
PatternScores scores_of(const Measures& measures, std::int64_t head) {
  PatternScores all;
  for (std::int64_t b = 0; b < measures.batch; ++b) {
    const PatternScores& one = measures.head(b, head).patterns;
    for (std::size_t i = 0; i < pattern_count; ++i) {
      if (one[i].rows == 0) continue;
      const auto rows = static_cast<double>(one[i].rows);
      all[i].score += one[i].score * rows;
      all[i].uniform += one[i].uniform * rows;
      all[i].rows += one[i].rows;
    }
  }
  for (PatternScore& one : all) {
    const double rows = one.rows == 0 ? NAN : static_cast<double>(one.rows);
    one.score /= rows;
    one.uniform /= rows;
  }
  return all;
}

}  // namespace

HeadRole role_of(const LayerResult& result, std::int64_t head) {
  HeadRole role;
  const auto& names = result.document.layer().weights.head_names;
  if (head < std::ssize(names)) role.built_as = names[static_cast<std::size_t>(head)];
  role.is_measured =
      !result.is_long() && head < result.measures.heads && !has_intervention(result.document, head);
  if (!role.is_measured) return role;
  const PatternScores scores = scores_of(result.measures, head);
  std::optional<HeadPattern> named = pattern_of(role.built_as);
  if (named && holds(*named, scores)) {
    role.does = std::move(role.built_as);
    role.built_as.clear();
    role.is_built = true;
  } else if (const auto found = found_pattern(scores)) {
    if (!named) role.does = name_of(*(named = found));
  }
  if (!named) {
    role.is_measured = false;
    return role;
  }
  role.score = scores[static_cast<std::size_t>(*named)].score;
  role.uniform = scores[static_cast<std::size_t>(*named)].uniform;
  return role;
}

std::string scored_name(const LayerResult& result, std::int64_t head) {
  const HeadRole role = role_of(result, head);
  return role.does.empty() ? "head " + std::to_string(head) : role.does + "  " + in_cell(role.score);
}

std::string words(const HeadRole& role) {
  const std::string score = fixed(role.score, 2), uniform = fixed(role.uniform, 2);
  if (role.built_as.empty() && role.does.empty()) return {};
  const std::string measured = !std::isfinite(role.score) ? std::string()
                                                          : "  Share of its weight there: " + score +
                                                                "; uniform attention has " + uniform + ".";
  const bool even = role.does == "diffuse" || role.does == "uniform";
  if (even) return "Built by hand. Entropy: " + score + " of the most there can be.";
  if (!role.does.empty()) return (role.is_built ? "Built by hand." : "Found in its weights.") + measured;
  if (role.built_as.empty()) return {};
  if (!role.is_measured) return "Built by hand for something that is not measured here.";
  return "Built by hand for something that it does not do now." + measured;
}

}  // namespace attnscope
