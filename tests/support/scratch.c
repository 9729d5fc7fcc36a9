/* A folder for a test's files; see the header. */
#include "support/scratch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#include <check.h> /* after base/: it has a macro named fail */

void scratch_path(char out[SCRATCH_PATH], const char *name)
{
    const char *top = getenv("TMPDIR");
    int len =
        snprintf(out, SCRATCH_PATH, "%s/heed-test-%ld", top == NULL ? "/tmp" : top, (long)getpid());
    ck_assert(len > 0 && len < SCRATCH_PATH);
    (void)mkdir(out, 0777);
    if (name[0] != '\0') {
        const size_t room = SCRATCH_PATH - (size_t)len;
        len = snprintf(out + len, room, "/%s", name);
        ck_assert(len > 0 && (size_t)len < room);
    }
}

/* Calls remove for each entry, or only counts. Folders in it are expected to be empty. */
static int visit(int is_removing)
{
    char folder[SCRATCH_PATH];
    scratch_path(folder, "");
    DIR *entries = opendir(folder);
    ck_assert_ptr_nonnull(entries);
    int n = 0;
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        n++;
        if (is_removing) {
            char path[SCRATCH_PATH];
            scratch_path(path, entry->d_name);
            (void)remove(path);
        }
    }
    (void)closedir(entries);
    return n;
}

void scratch_clean(void)
{
    char folder[SCRATCH_PATH];
    (void)visit(1);
    scratch_path(folder, "");
    (void)rmdir(folder);
}

int scratch_count(void)
{
    return visit(0);
}

void scratch_write(const char *path, const void *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, len, file), len);
    ck_assert_int_eq(fclose(file), 0);
}

void scratch_read(const char *path, char **bytes, size_t *len)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    *len = (size_t)ftell(file);
    rewind(file);
    *bytes = mem_alloc(*len + 1, 1);
    ck_assert_ptr_nonnull(*bytes);
    ck_assert_uint_eq(fread(*bytes, 1, *len, file), *len);
    (*bytes)[*len] = '\0';
    (void)fclose(file);
}
