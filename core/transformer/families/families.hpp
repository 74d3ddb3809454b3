// core/transformer/families: the table of all families. A new family is a file of this room and a line in
// families.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/transformer/families/family.hpp"

namespace attnscope {

// Each is defined in the file of its name or of the first of its kind.
extern const Family gpt2_family, llama_family, mistral_family, ministral_family, ministral3_family,
    qwen2_family, qwen3_family, smollm3_family, helium_family, gemma_family, gemma2_family, gemma3_family,
    phi_family, phi3_family, olmo_family, olmo2_family, olmo3_family, exaone4_family, granite_family,
    cohere_family, cohere2_family, glm_family, glm4_family, stablelm_family, starcoder2_family,
    nemotron_family, neox_family, gptj_family, gpt_neo_family, opt_family, falcon_family, bloom_family,
    bert_family, roberta_family, distilbert_family, reader_family, t5_family, vit_family, mixtral_family,
    qwen2_moe_family, qwen3_moe_family, olmoe_family, gpt_oss_family, roformer_family, mpnet_family,
    nomic_bert_family, esm_family, electra_family, modernbert_family, mt5_family, umt5_family, dinov2_family,
    gpt_bigcode_family, codegen_family, eurobert_family, albert_family, gte_family, glm4_moe_family;

std::span<const Family* const> families();
/// By "model_type"; null if unknown.
const Family* find_family(std::string_view model_type);
/// The "general.architecture" of the family's GGUF files, which it must have.
std::string_view gguf_name_of(const Family&);
/// By "general.architecture" of a GGUF file; null if unknown.
const Family* find_gguf_family(std::string_view architecture);
/// The path of a part in GGUF files; empty if they have no such part.
std::string gguf_path_of(const Family&, Part, std::size_t block = 0);

}  // namespace attnscope
