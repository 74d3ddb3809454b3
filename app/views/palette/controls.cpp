// app/views/palette: every control of the column, with other names for it, in English and German.
#include "app/views/palette/entries.hpp"

namespace attnscope {
namespace {

using S = Section;
constexpr bool seldom = true, always = false;

constexpr ControlEntry controls[] = {
    {"Input", S::Input, "Input", always, "Input source",
     "example sentence text source batch beispiel satz eingabe"},
    {"Layer of the dump", S::Input, "Input", always, "Layer", "dump layer block schicht ebene"},
    {"Pad to a length", S::Input, "Input", always, "Pad to value",
     "padding length pad tokens auffüllen länge"},
    {"Cross-attention, second sentence", S::Input, "Input", seldom, "Cross-attention",
     "encoder decoder memory translation two texts kreuz übersetzung zweiter satz"},
    {"Cached tokens", S::Input, "Input", seldom, "Cached tokens value",
     "kv cache decode decoding incremental past generation zwischenspeicher"},
    {"KV cache", S::Input, "Input", seldom, "KV cache", "memory bytes decode speicher"},
    {"Weights, built by hand or random", S::Weights, "Weights", always, "Weights source",
     "random hand-built recipe zufall zufällig gewichte von hand"},
    {"Initialiser", S::Weights, "Weights", always, "Initialiser",
     "xavier glorot normal orthogonal identity random init initialisierung zufall"},
    {"Seed", S::Weights, "Weights", always, "Seed value", "random reproducible zufall startwert"},
    {"Noise", S::Weights, "Weights", always, "Noise", "random jitter rauschen"},
    {"Biases", S::Weights, "Weights", always, "Biases", "bias b offset verschiebung"},
    {"Fused QKV", S::Weights, "Weights", seldom, "Fused QKV", "in_proj combined gemeinsam"},
    {"Learned key", S::Weights, "Weights", seldom, "Learned key", "bias_k bias_v sink gelernter schlüssel"},
    {"Zero key", S::Weights, "Weights", seldom, "Zero key", "add_zero_attn softmax1 sink off by one null"},
    {"QK-norm", S::Weights, "Weights", seldom, "QK-norm: RMS",
     "rmsnorm layernorm qwen gemma vit normalise queries keys normierung"},
    {"Latent attention", S::Weights, "Weights", seldom, "Latent attention",
     "mla deepseek compressed cache low rank komprimiert"},
    {"Block around the layer", S::Weights, "Weights", seldom, "Block preset",
     "transformer bert gpt llama gemma pre-norm post-norm sandwich parallel mlp residual layernorm rmsnorm "
     "swiglu gelu feed forward ffn block schicht"},
    {"Number of heads", S::Heads, "Heads", always, "Head count value",
     "multi-head count n_heads köpfe anzahl"},
    {"d_model", S::Heads, "Heads", always, "d_model value",
     "width hidden size embedding dimension dk d_k breite dimension modell"},
    {"dₖ of its own", S::Heads, "Heads", seldom, "Free d_k",
     "head_dim head width free gemma qwen dk d_k kopfbreite frei"},
    {"KV heads", S::Heads, "Heads", seldom, "KV heads value",
     "gqa mqa grouped query multi-query groups gruppen"},
    {"Width of values d_v", S::Heads, "Heads", seldom, "d_v value", "dv value dimension breite"},
    {"Divide by √dₖ", S::Scaling, "Scaling", always, "Divide by sqrt(d_k)",
     "sqrt square root dk d_k scale scaling wurzel skalierung teilen"},
    {"Scale", S::Scaling, "Scaling", always, "Scale", "factor multiply sqrt dk 1/sqrt faktor skalierung"},
    {"Mask", S::Mask, "Mask", always, "Mask: Causal", "causal padding none future kausal maske zukunft"},
    {"Paint the mask by hand", S::Mask, "Mask", always, "Mask picture", "brush draw custom malen pinsel"},
    {"Window, left side", S::Mask, "Mask", seldom, "Window left value",
     "sliding local longformer mistral gleitend fenster lokal"},
    {"Window, right side", S::Mask, "Mask", seldom, "Window right value",
     "sliding local longformer gleitend fenster lokal"},
    {"Sparse pattern", S::Mask, "Mask", seldom, "Pattern",
     "strided block global bigbird reformer lsh longformer swin shifted windows image dünn besetzt muster "
     "fenster bild"},
    {"Mask for all heads or one", S::Mask, "Mask", seldom, "Mask for: This head", "per head je kopf"},
    {"Value of hidden scores", S::Mask, "Mask", seldom, "Hidden score: \u2212∞",
     "-inf minus infinity -1e9 finfo min unendlich"},
    {"Mistakes in masks", S::Mask, "Mask", seldom, "Mistake",
     "wrong bug error transposed diagonal fehler falsch"},
    {"Positions", S::Positions, "Positions", always, "Positions kind",
     "positional encoding sinusoidal learned relative t5 alibi rope rotary swin deberta position kodierung"},
    {"RoPE base", S::Positions, "Positions", always, "RoPE base", "rotary theta frequency basis drehung"},
    {"Rotated dimensions", S::Positions, "Positions", always, "Rotated dims value",
     "rope rotary partial drehung"},
    {"RoPE scaling", S::Positions, "Positions", always, "RoPE scaling",
     "linear interpolation ntk dynamic yarn llama 3 context length long skalierung kontextlänge"},
    {"Relative buckets", S::Positions, "Positions", always, "Buckets value", "t5 bias relative relativ"},
    {"Rows and columns of an image", S::Positions, "Positions", always, "Window side value",
     "swin bias relative two-dimensional 2-d bild fenster zeilen spalten"},
    {"Disentangled positions", S::Positions, "Positions", always, "Relative span value",
     "deberta disentangled relative c2p p2c content position span"},
    {"Temperature", S::Softmax, "Softmax", always, "Temperature", "tau sharp sharpness temperatur schärfe"},
    {"Soft-cap", S::Softmax, "Softmax", seldom, "Soft-cap", "softcap tanh gemma logit cap kappung"},
    {"Naive or stable softmax", S::Softmax, "Softmax", seldom, "Softmax: Naive",
     "overflow exp maximum subtract nan inf überlauf stabil"},
    {"Linear attention", S::Softmax, "Softmax", seldom, "Linear attention",
     "elu feature map kernel performer katharopoulos linear"},
    {"Learned sink", S::Softmax, "Softmax", seldom, "Learned sink",
     "attention sink gpt-oss softmax1 off by one null gelernte senke"},
    {"Dropout", S::Softmax, "Softmax", seldom, "Dropout", "regularise drop zero weights auslassen"},
    {"Precision", S::Softmax, "Softmax", seldom, "Precision: bf16",
     "bfloat16 float16 fp16 bf16 fp32 half rounding quantise genauigkeit"},
    {"Gradients, backward pass", S::Backward, "Backward", always, "Backward",
     "loss backprop derivative gradient ableitung rückwärts verlust"},
    {"Statistics of the head", S::Statistics, "Statistics", always, "Statistics",
     "previous token distance uniform measures kennzahlen statistik kopf"},
    {"Cost", S::Cost, "Cost", always, "Cost", "flops parameters memory bytes kosten speicher rechenaufwand"},
};

}  // namespace

std::span<const ControlEntry> control_entries() { return controls; }

}  // namespace attnscope
