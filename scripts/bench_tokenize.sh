#!/bin/sh
# Speed of learning and encoding beside SentencePiece and subword-nmt, on one core, in one run:
#
#     scripts/bench_tokenize.sh FILE [VOCABULARY SIZE] [ROUNDS]
#
# FILE is plain text, a sentence a line (say, the English side of Multi30k). A tool that is not
# installed is left out with a sentence. Each figure is the best of ROUNDS (3): seconds of processor
# time, and millions of characters encoded a second.
set -eu
cd "$(dirname "$0")/.."
text=${1:?usage: scripts/bench_tokenize.sh FILE [VOCABULARY SIZE] [ROUNDS]}
size=${2:-8000}
rounds=${3:-3}
heed=build/release/heed
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
[ -x "$heed" ] || make --no-print-directory
characters=$(wc -m <"$text")
[ "$characters" -gt 1000 ] || {
    echo "bench_tokenize.sh: $text: too short to measure ($characters characters)" >&2
    exit 1
}
# Encoding is measured on enough text to make starting up small.
copies=$((20000000 / characters + 1))
i=0
while [ "$i" -lt "$copies" ]; do
    cat "$text"
    i=$((i + 1))
done >"$folder/large"
n_large=$(wc -m <"$folder/large")

# seconds COMMAND...: the least processor time of the rounds.
seconds() {
    best=
    round=0
    while [ "$round" -lt "$rounds" ]; do
        OMP_NUM_THREADS=1 bash -c 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>"$0"' \
            "$folder/said" "$@" 2>"$folder/time" || {
            cat "$folder/said" >&2
            exit 1
        }
        now=$(awk '{ print $1 + $2 }' "$folder/time")
        best=$(printf '%s %s\n' "$now" "${best:-$now}" | awk '{ print $1 < $2 ? $1 : $2 }')
        round=$((round + 1))
    done
    echo "$best"
}
row() {
    awk -v name="$1" -v learn="$2" -v encode="$3" -v n="$n_large" \
        'BEGIN { printf "%-14s %9.2f s %9.2f s %8.2f M/s\n", name, learn, encode, n / encode / 1e6 }'
}

echo "$text: $(wc -l <"$text") lines, $characters characters, at most $size pieces; encoding $n_large"
printf '%-14s %11s %11s %12s\n' '' learn encode characters
learn=$(seconds "$heed" tokenize learn --file "$folder/heed.tok" --vocab-size "$size" "$text")
encode=$(seconds "$heed" tokenize encode --file "$folder/heed.tok" --input "$folder/large")
row heed "$learn" "$encode"
if command -v spm_train >/dev/null 2>&1; then
    learn=$(seconds spm_train --input="$text" --model_prefix="$folder/spm" --vocab_size="$size" \
        --model_type=bpe --byte_fallback=true --hard_vocab_limit=false --num_threads=1 \
        --character_coverage=1.0)
    encode=$(seconds spm_encode --model="$folder/spm.model" --input="$folder/large")
    row SentencePiece "$learn" "$encode"
else
    echo "SentencePiece is not installed (Debian: apt-get install sentencepiece); left out"
fi
if command -v subword-nmt >/dev/null 2>&1; then
    learn=$(seconds subword-nmt learn-bpe --symbols "$size" --input "$text" --output "$folder/codes")
    encode=$(seconds subword-nmt apply-bpe --codes "$folder/codes" --input "$folder/large")
    row subword-nmt "$learn" "$encode"
else
    echo "subword-nmt is not installed (pip install subword-nmt); left out"
fi
