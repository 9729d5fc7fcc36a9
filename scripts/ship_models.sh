#!/bin/sh
# Trains the models that ship, models/en-zh.safetensors and models/en-fr.safetensors, and scores them; some
# minutes each on two cores.
set -eu
cd "$(dirname "$0")/.."
heed=build/heed
for pair in en-zh en-fr; do
    target=${pair#en-}
    corpus=corpora/$pair
    $heed train --train-source "$corpus/train.en" --train-target "$corpus/train.$target" \
        --valid-source "$corpus/valid.en" --valid-target "$corpus/valid.$target" \
        --model "build/$pair.safetensors" --overwrite --after 12e --seed 1 \
        --embedding 256 --hidden 256 --attention-size 256 --vocab-size 2000 \
        --dropout-embedding 0.1 --dropout-input 0.1 --dropout-state 0.1 --dropout-readout 0.1 \
        --dropout-src 0 --dropout-trg 0 --mini-batch-words 1000 --learn-rate 0.003 --lr-warmup 100 \
        --no-layer-normalization --no-estimate-alignment \
        --lr-schedule constant --exponential-smoothing 0.998 --valid-sentences 300
    $heed quantize --model "build/$pair.safetensors" --output "models/$pair.safetensors" --overwrite
    $heed translate --model "models/$pair.safetensors" --input "$corpus/test.en" --output "build/$pair.out"
    tokenize=13a
    [ "$target" = zh ] && tokenize=zh
    $heed eval --hypothesis "build/$pair.out" --reference "$corpus/test.$target" --tokenize $tokenize
    $heed align --model "models/$pair.safetensors" --source "$corpus/test.en" --target "$corpus/test.$target" \
        > "build/$pair.links"
    $heed eval --links "build/$pair.links" --gold "$corpus/test.links"
done
