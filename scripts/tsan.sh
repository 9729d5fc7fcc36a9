#!/bin/sh
# tsan.sh HEED: drives the program that was built with the thread sanitizer, its work shared out to
# several threads: training with everything that draws random numbers, resuming, translating,
# aligning, scoring, serving many at once. A report of the sanitizer ends the command at once.
set -eu
heed=$1
pairs="--source corpora/en-fr/valid.en --target corpora/en-fr/valid.fr"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}"
run() {
    name=$1
    shift
    if ! "$heed" "$@" --threads 4 >"$folder/out" 2>"$folder/log"; then
        tail -40 "$folder/log" >&2
        echo "$name: not clean" >&2
        exit 1
    fi
    echo "$name: clean"
}
for side in en fr; do
    head -200 corpora/en-fr/valid.$side >"$folder/$side"
done
pairs="--source $folder/en --target $folder/fr"
model=$folder/m.safetensors
train="train --train-source $folder/en --train-target $folder/fr --model $model --preset tiny
    --embedding 32 --hidden 32 --attention-size 16 --vocab-size 400 --mini-batch 32
    --valid-freq 4 --valid-sentences 30"
run train $train --after 8u --exponential-smoothing 0.999 --bpe-dropout 0.1 --dropout-input 0.1 --dropout-state 0.1
run resume $train --after 12u --resume --log "$folder/log.tsv" --report "$folder/page.html"
run translate translate --model "$model" --input "$folder/en" --mini-batch 8
run n-best translate --model "$model,$model" --input "$folder/en" --n-best 3 --mini-batch 4 --attention "$folder/a.jsonl"
run sampling translate --model "$model" --input "$folder/en" --sampling --mini-batch 8
run align align --model "$model" $pairs --attention "$folder/b.jsonl"
run score score --model "$model" $pairs

# Eight clients at once; the sanitizer is slow, so that an answer of "busy" is one too.
cat >"$folder/clients.py" <<'END'
import concurrent.futures, http.client, json, signal, subprocess, sys
heed, model = sys.argv[1:]
server = subprocess.Popen([heed, "serve", "--port", "0", "--threads", "2", "--model", model],
                          stderr=subprocess.PIPE, text=True)
port = int(server.stderr.readline().rsplit(":", 1)[1].rstrip("/\n"))


def ask(number):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    body = {"text": ["I was a child"] * (number % 3 + 1), "attention": number % 2 == 0}
    connection.request("POST", "/translate", json.dumps(body))
    return connection.getresponse().status


with concurrent.futures.ThreadPoolExecutor(8) as pool:
    found = list(pool.map(ask, range(24)))
server.send_signal(signal.SIGTERM)
_, text = server.communicate(timeout=120)
if server.returncode != 0 or 200 not in found or set(found) - {200, 503}:
    sys.exit(f"{text[-4000:]}serve: not clean: code {server.returncode}, answers {found}")
print(f"serve: clean, {found.count(200)} of {len(found)} answers in time")
END
python3 "$folder/clients.py" "$heed" "$model"
