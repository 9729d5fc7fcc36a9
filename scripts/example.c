/* A complete program on libheed: translates its arguments, or lines of standard input, and shows for
 * each word of the translation which word it came from.
 *
 *     cc example.c $(pkg-config --cflags --libs heed) -o example
 *     ./example M.safetensors "guten Morgen" */
#include <heed.h>
#include <stdio.h>
#include <string.h>

static int show(const HeedModel *model, const char *line)
{
    HeedError err;
    HeedOptions options;
    HeedResults *results;
    heed_options_init(&options);
    options.wants_attention = 1;
    if (heed_translate(model, &results, &line, 1, &options, &err) != HEED_OK) {
        fprintf(stderr, "example: %s\n", err.message);
        return 1;
    }
    const HeedTranslation *t = heed_best(results, 0);
    HeedLink links[256];
    size_t n_links;
    printf("%s\n", t->text);
    if (heed_links(t, 0, links, 256, &n_links, &err) == HEED_OK) {
        for (size_t i = 0; i < n_links && i < 256; i++) {
            printf("    %s - %s\n", t->source_tokens[links[i].source],
                   t->target_tokens[links[i].target]);
        }
    }
    heed_results_free(results);
    return 0;
}

int main(int argc, char **argv)
{
    HeedError err;
    HeedModel *model;
    if (argc < 2) {
        fprintf(stderr, "usage: example M.safetensors [TEXT...]\n");
        return 2;
    }
    if (heed_open(&model, argv[1], &err) != HEED_OK) {
        fprintf(stderr, "example: %s\n", err.message);
        return 1;
    }
    int failed = 0;
    for (int i = 2; i < argc; i++) {
        failed |= show(model, argv[i]);
    }
    char line[4096];
    while (argc == 2 && fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        failed |= show(model, line);
    }
    heed_close(model);
    return failed;
}
