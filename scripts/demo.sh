#!/bin/sh
# The whole path in a few minutes: trains on corpora/en-zh, scores the test set, translates a sentence that training never
# saw and draws where each word looked. Exits 1 when the translation is another than expected.
set -eu
cd "$(dirname "$0")/.."
heed=build/heed
corpus=corpora/en-zh
model=models/demo-en-zh.safetensors
source="i love deep learning"
expected="我喜欢深度学习"
mkdir -p build models

# The epochs are fixed, not the time, so that the same machine gives the same model each time.
echo "Training on $corpus ($(wc -l < $corpus/train.en) pairs)"
$heed train --train-source $corpus/train.en --train-target $corpus/train.zh \
    --valid-source $corpus/valid.en --valid-target $corpus/valid.zh \
    --model $model --overwrite --after 8e,3m --seed 1 \
    --embedding 256 --hidden 256 --attention-size 256 --vocab-size 2000 \
    --dropout-embedding 0.1 --dropout-input 0.1 --dropout-state 0.1 --dropout-readout 0.1 \
    --dropout-src 0 --dropout-trg 0 --mini-batch-words 1000 \
    --no-layer-normalization --no-estimate-alignment \
    --learn-rate 0.003 --lr-warmup 100 --lr-schedule constant --exponential-smoothing 0.998 --valid-sentences 300

echo
echo "Test set of $corpus ($(wc -l < $corpus/test.en) sentences that are not in training):"
$heed translate --model $model --input $corpus/test.en --output build/demo.zh
$heed eval --hypothesis build/demo.zh --reference $corpus/test.zh --tokenize zh

echo
echo "$source"
$heed translate --model $model --show "$source"
found=$($heed translate --model $model "$source")
if [ "$found" != "$expected" ]; then
    echo "demo: \"$source\" became \"$found\", expected \"$expected\"" >&2
    exit 1
fi
