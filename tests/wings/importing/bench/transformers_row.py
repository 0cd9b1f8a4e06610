"""Families of transformers, tiny and with random weights: imported, compared, one row each."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import torch
import transformers as hub
from torch import nn

from core.analyse import analyse
from core.project import read_text, write_text
from core.project.inputs import read_input
from core.wings.importing import ImportRefused, import_module
from core.wings.importing.pipeline import build_on_meta
from core.wings.importing.sources import with_inputs
from core.wings.importing.tracing.model_call import InputSpec
from core.wings.importing.verify.equivalence import NAMES, verdicts

Row = dict[str, Any]
WORDS: dict[str, Any] = {
    "vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
    "intermediate_size": 37, "max_position_embeddings": 64,
}  # fmt: skip
PICTURES: dict[str, Any] = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 37,
    "image_size": 32, "patch_size": 8,
}  # fmt: skip
GPT: dict[str, Any] = {"vocab_size": 99, "n_embd": 32, "n_layer": 2, "n_head": 4,
                       "n_positions": 64, "bos_token_id": 0, "eos_token_id": 0}  # fmt: skip
T5: dict[str, Any] = {"vocab_size": 99, "d_model": 32, "d_kv": 8, "d_ff": 37, "num_layers": 2,
                      "num_heads": 4}  # fmt: skip
MASKED = ("input_ids=12:int64<99", "attention_mask=12:int64<2")

CONFIGS = sorted((name for name in dir(hub) if name.endswith("Config")), key=len, reverse=True)


def of(kind: str, **options: Any) -> Callable[[], nn.Module]:
    """How to make a model of transformers of its configuration's options; nothing is fetched."""
    base = next(name for name in CONFIGS if kind.startswith(name.removesuffix("Config")))
    return lambda: getattr(hub, kind)(getattr(hub, base)(**options))


NINE: Mapping[str, Callable[[], nn.Module]] = {
    "BERT": of("BertForSequenceClassification", **WORDS),
    "GPT-2": of("GPT2LMHeadModel", **GPT),
    "T5": of("T5Model", **T5),
    "Llama": of("LlamaForCausalLM", **WORDS, num_key_value_heads=2),
    "DistilBERT": of("DistilBertForSequenceClassification", vocab_size=99, dim=32, n_layers=2,
                     n_heads=4, hidden_dim=37, max_position_embeddings=64),
    "ViT": of("ViTForImageClassification", **PICTURES),
    "Swin": of("SwinForImageClassification", image_size=32, patch_size=2, embed_dim=16,
               depths=[2, 2], num_heads=[2, 2], window_size=4),
    "ConvNeXt": of("ConvNextForImageClassification", hidden_sizes=[8, 16, 24, 32],
                   depths=[1, 1, 2, 1], image_size=64),
    "RoBERTa": of("RobertaForMaskedLM", **WORDS),
}  # fmt: skip
"""The families that have to come in."""
MORE: Mapping[str, Callable[[], nn.Module]] = {
    "BERT with a mask": NINE["BERT"],
    "GPT-2 with a mask": NINE["GPT-2"],
    "Llama with a mask": NINE["Llama"],
    "Llama without a cache": of("LlamaForCausalLM", **WORDS, use_cache=False),
    "ALBERT": of("AlbertForSequenceClassification", **WORDS, embedding_size=16),
    "BART": of("BartModel", vocab_size=99, d_model=32, encoder_layers=2, decoder_layers=2,
               encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=37,
               decoder_ffn_dim=37, max_position_embeddings=64),
    "BEiT": of("BeitForImageClassification", **PICTURES),
    "CLIP": of("CLIPModel", text_config=WORDS, vision_config=PICTURES, projection_dim=16),
    "ConvNeXt V2": of("ConvNextV2ForImageClassification", hidden_sizes=[8, 16, 24, 32],
                      depths=[1, 1, 2, 1], image_size=64),
    "DeBERTa V2": of("DebertaV2Model", **WORDS, relative_attention=True,
                     pos_att_type=["p2c", "c2p"]),
    "DeiT": of("DeiTForImageClassification", **PICTURES),
    "DINOv2": of("Dinov2ForImageClassification", **PICTURES),
    "ELECTRA": of("ElectraForTokenClassification", **WORDS, embedding_size=16),
    "Gemma": of("GemmaForCausalLM", **WORDS, num_key_value_heads=2, head_dim=8),
    "GPT-NeoX": of("GPTNeoXForCausalLM", **WORDS),
    "Mamba": of("MambaForCausalLM", vocab_size=99, hidden_size=32, num_hidden_layers=2,
                state_size=4),
    "Mistral": of("MistralForCausalLM", **WORDS, num_key_value_heads=2, sliding_window=8),
    "ModernBERT": of("ModernBertForMaskedLM", **WORDS, pad_token_id=0, bos_token_id=1,
                     eos_token_id=2, cls_token_id=1, sep_token_id=2),
    "MobileViT": of("MobileViTForImageClassification", image_size=64, hidden_sizes=[16, 16, 24],
                    neck_hidden_sizes=[8, 8, 8, 16, 16, 16, 32]),
    "OPT": of("OPTForCausalLM", vocab_size=99, hidden_size=32, num_hidden_layers=2,
              num_attention_heads=4, ffn_dim=37, max_position_embeddings=64,
              word_embed_proj_dim=32),
    "Phi": of("PhiForCausalLM", **WORDS),
    "Qwen2": of("Qwen2ForCausalLM", **WORDS, num_key_value_heads=2),
    "ResNet": of("ResNetForImageClassification", embedding_size=8, hidden_sizes=[8, 16],
                 depths=[1, 1]),
    "SegFormer": of("SegformerForSemanticSegmentation", hidden_sizes=[8, 8, 16, 16],
                    depths=[1] * 4, num_attention_heads=[1, 1, 2, 2], decoder_hidden_size=16),
    "T5 that writes": of("T5ForConditionalGeneration", **T5, decoder_start_token_id=0),
    "Wav2Vec2": of("Wav2Vec2ForCTC", vocab_size=32, hidden_size=32, num_hidden_layers=2,
                   num_attention_heads=4, intermediate_size=37, conv_dim=[16, 16],
                   conv_kernel=[4, 4], conv_stride=[4, 4], num_conv_pos_embeddings=4,
                   num_conv_pos_embedding_groups=2, num_feat_extract_layers=2),
    "Whisper": of("WhisperModel", vocab_size=99, d_model=32, encoder_layers=2, decoder_layers=2,
                  encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=37,
                  decoder_ffn_dim=37, num_mel_bins=16, max_source_positions=30,
                  max_target_positions=20, pad_token_id=0, decoder_start_token_id=1),
    "XLNet": of("XLNetModel", vocab_size=99, d_model=32, n_layer=2, n_head=4, d_inner=37),
}  # fmt: skip
"""Others."""
INPUTS: Mapping[str, tuple[str, ...]] = {
    "BERT with a mask": MASKED, "GPT-2 with a mask": MASKED, "Llama with a mask": MASKED,
    "CLIP": ("input_ids=12:int64<99", "pixel_values=3,32,32"),
    "Wav2Vec2": ("input_values=400",),
    "Whisper": ("input_features=16,60", "decoder_input_ids=7:int64<99"),
}  # fmt: skip
"""What is said of the inputs; of the others they are found by trying."""


def row(name: str) -> Row:
    """Import one model and compare it."""
    begin = time.process_time()
    torch.manual_seed(0)
    model = {**NINE, **MORE}[name]().eval()
    found: Row = {"family": name, "class": type(model).__name__}
    try:
        given = InputSpec(tuple(read_input(text) for text in INPUTS.get(name, ())))
        source = with_inputs(model, name, given)
        imported = import_module(model, source.shapes, "Net", source.dtypes, source.run)
    except ImportRefused as error:
        return {**found, "refused": str(error)}
    project = read_text(write_text(imported.project))
    report = analyse(project.graph, project.name)
    if report.source is None:
        return {**found, "refused": report.errors[0].message}
    judged = verdicts(
        model, build_on_meta(report), imported.keys, source.shapes, source.dtypes, keep=False,
        run=source.run,
    )  # fmt: skip
    return found | {
        "inputs": [f"{','.join(map(str, s))}:{k}"
                   for s, k in zip(source.shapes, source.dtypes, strict=True)],
        "lines": len(report.source.splitlines()),
        "verdicts": {v.name: [v.equal, v.note] for v in judged},
        "order": list(NAMES),
        "cpu_s": time.process_time() - begin,
    }  # fmt: skip
