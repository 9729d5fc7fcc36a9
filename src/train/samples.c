/* Sentences to look at; see the header. */
#include "train/samples.h"

#include <string.h>

#include "decode/beam.h"
#include "decode/force.h"
#include "decode/record.h"
#include "text/words.h"

/* The record of one hypothesis; its text goes to the arena, too. */
static Status build(Dump *out, const SampleSource *from, const Pieces *pieces, long i,
                    const Hypothesis *hypothesis, Arena *arena, Error *err)
{
    Buffer text = {0};
    const RecordPart part = {.n = pieces->len, .hypothesis = hypothesis};
    RecordLine line = {.source = from->source,
                       .target = from->target,
                       .ids = pieces->ids,
                       .spans = (const int(*)[2])pieces->spans,
                       .parts = &part,
                       .n_parts = pieces->len > 0,
                       .alpha = beam_defaults().alpha,
                       .has_tokens = 1};
    void *copy;
    Dump dump;
    line.text = corpus_line(from->corpus, SIDE_SOURCE, i, &line.len);
    Status status = record_build(&dump, &line, &text, arena, err);
    if (status == OK) {
        status = arena_alloc(arena, &copy, text.len + 1, 1, err);
    }
    if (status == OK) {
        memcpy(copy, text.len == 0 ? "" : text.bytes, text.len + 1);
        dump.id = i;
        dump.target = (DumpText){copy, text.len};
        *out = dump;
    }
    buffer_free(&text);
    return status;
}

static Status translate(Dump *out, const SampleSource *from, const Pieces *pieces, long i,
                        Beam *beam, Arena *arena, Error *err)
{
    const BeamInput input = {.source = pieces->ids, .n_source = pieces->len, .line = (uint64_t)i};
    BeamOptions options = beam_defaults();
    HypothesisList list;
    options.beam_size = from->beam_size;
    options.keeps_attention = 1;
    TRY(beam_search(beam, &list, &options, &input, 1, arena, err));
    return build(out, from, pieces, i, &list.v[0], arena, err);
}

Status sample_translate(Dump *out, const SampleSource *from, long i, Arena *arena, Error *err)
{
    const Ensemble ensemble = {.models = {from->model}, .n = 1};
    Pieces pieces = {0};
    Beam *beam = NULL;
    size_t len;
    const char *line = corpus_line(from->corpus, SIDE_SOURCE, i, &len);
    TRY(beam_create(&beam, &ensemble, err));
    Status status = tokenizer_encode(from->source, line, len, &pieces, err);
    status = status == OK ? translate(out, from, &pieces, i, beam, arena, err) : status;
    pieces_free(&pieces);
    beam_free(beam);
    return status;
}

/* The forced target as a hypothesis. */
static Status force(Dump *out, const SampleSource *from, const Pieces *source, const Pieces *target,
                    long i, Arena *arena, Arena *scratch, Error *err)
{
    const Ensemble ensemble = {.models = {from->model}, .n = 1};
    const IdPair pair = {source->ids, target->ids, source->len, target->len};
    Forced forced;
    void *block;
    TRY(force_decode(&forced, &ensemble, &pair, 1, 1, arena, scratch, err));
    TRY(arena_alloc(arena, &block, (size_t)target->len + 1, sizeof(int), err));
    int *tokens = block;
    memcpy(tokens, target->ids, (size_t)target->len * sizeof *tokens);
    tokens[target->len] = TOKEN_END;
    const Hypothesis hypothesis = {.tokens = tokens,
                                   .n_tokens = target->len + 1,
                                   .is_finished = 1,
                                   .score = forced.score,
                                   .word_scores = forced.word_scores,
                                   .attention = forced.attention};
    return build(out, from, source, i, &hypothesis, arena, err);
}

Status sample_force(Dump *out, const SampleSource *from, long i, Arena *arena, Error *err)
{
    Pieces pieces[N_SIDES] = {{0}, {0}};
    size_t len;
    Arena *scratch;
    TRY(arena_create(&scratch, 0, err));
    const char *line = corpus_line(from->corpus, SIDE_SOURCE, i, &len);
    Status status = tokenizer_encode(from->source, line, len, &pieces[SIDE_SOURCE], err);
    if (status == OK) {
        line = corpus_line(from->corpus, SIDE_TARGET, i, &len);
        status = tokenizer_encode(from->target, line, len, &pieces[SIDE_TARGET], err);
    }
    if (status == OK && pieces[SIDE_TARGET].len > 0) {
        status =
            force(out, from, &pieces[SIDE_SOURCE], &pieces[SIDE_TARGET], i, arena, scratch, err);
    } else if (status == OK) {
        *out = (Dump){.id = i};
    }
    pieces_free(&pieces[SIDE_SOURCE]);
    pieces_free(&pieces[SIDE_TARGET]);
    arena_free(scratch);
    return status;
}

long sample_choose(const Corpus *corpus)
{
    long any = -1;
    for (long i = 0; i < corpus_size(corpus); i++) {
        long n[N_SIDES];
        for (int side = 0; side < N_SIDES; side++) {
            size_t len;
            const char *line = corpus_line(corpus, side, i, &len);
            n[side] = words_count(line, len);
        }
        if (n[0] >= 4 && n[0] <= 12 && n[1] >= 4 && n[1] <= 12) {
            return i;
        }
        any = any < 0 && n[0] > 0 && n[1] > 0 ? i : any;
    }
    return any;
}
