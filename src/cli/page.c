/* SPDX-License-Identifier: Apache-2.0 */
/* zeno page RESULT --out FILE.html: the result as a page of its own, with the viewer (viewer/, bundled by `make viewer`) inside.
 * With --out FILE.json only the data that the viewer shows, for pages that hold several. */
#include "cli/page_data.h"

#include "base/output.h"
#include "base/text.h"
#include "cli/args.h"
#include "cli/commands.h"
#include "cli/study_view.h"

#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

static const char usage[] = "zeno page RESULT|STUDY --out FILE.html|FILE.json [--title TEXT] [--results FOLDER]";
static const char help[] = "  RESULT   a result of zeno run --out (.h5, .hdf5; a .csv has no drawing and gives plots only)\n"
                           "  --out    FILE.html: a page that needs no server or network; FILE.json: its data alone\n"
                           "  STUDY    a file of zeno sweep: curves, maps and histograms; click to see a run\n"
                           "  --results  for a study: a folder with results run-K.h5, whose animations are included\n"
                           "  --title  replaces the title of the scene\n"
                           "The page needs the viewer, which `make viewer` builds; ZENO_VIEWER may name its file.\n";

static bool ends_with(const char *text, const char *ending) {
    size_t n = strlen(text), m = strlen(ending);
    return n > m && strcasecmp(text + n - m, ending) == 0;
}

/* ---- the viewer ---- */

/* The directory of the program itself, with a slash; "" where the system does not say. */
static void program_directory(char *directory, size_t room) {
    ssize_t n = readlink("/proc/self/exe", directory, room - 1);
    if (n < 0) n = 0;
    directory[n] = '\0';
    char *slash = strrchr(directory, '/');
    *(slash ? slash + 1 : directory) = '\0';
}

/* Where `make viewer` and `cmake --install` put it, seen from the program: build/zeno, build/KIND/zeno, PREFIX/bin/zeno. */
static FILE *open_viewer(zn_context *context) {
    static const char *const places[] = {"viewer/", "../viewer/", "../share/zeno/"};
    const char *given = getenv("ZENO_VIEWER");
    char directory[4096];
    if (given && *given) {
        FILE *file = fopen(given, "rb");
        if (!file)
            fail(context, ZN_ERROR_FILE, "the viewer cannot be read from '%s', which ZENO_VIEWER names; `make viewer` builds it", given);
        return file;
    }
    program_directory(directory, sizeof directory);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *path = mem_format(context, "%s%szeno-viewer.js", directory, places[i]);
        FILE *file = path ? fopen(path, "rb") : NULL;
        mem_free(context, path);
        if (file) return file;
    }
    fail(context, ZN_ERROR_FILE, "the viewer is missing, so there is no page; `make viewer` builds it (from npm), once");
    return NULL;
}

/* The whole file, ending with 0. */
static char *read_viewer(zn_context *context) {
    FILE *file = open_viewer(context);
    if (!file) return NULL;
    char *text = NULL;
    size_t length = 0, capacity = 0, got = 1;
    while (got && mem_grow(context, (void **)&text, &capacity, length + 65537, 1)) length += got = fread(text + length, 1, 65536, file);
    bool ok = !got && !ferror(file);
    fclose(file);
    if (ok) {
        text[length] = '\0';
        return text;
    }
    if (!got) fail(context, ZN_ERROR_FILE, "the viewer cannot be read");
    mem_free(context, text);
    return NULL;
}

/* Inside a page a script ends at the first "</script"; both sequences occur in strings and comments only, where the backslash
 * changes nothing. */
static void put_script(FILE *to, const char *script) {
    for (; *script; script++) {
        fputc(*script, to);
        if (*script == '<' && (!strncasecmp(script + 1, "/script", 7) || !strncmp(script + 1, "!--", 3))) fputc('\\', to);
    }
}

static void put_html(FILE *to, const char *text) {
    char piece[TEXT_PIECE];
    while (*text) {
        text_plain(&text, piece);
        fputs(*piece == '<' ? "&lt;" : *piece == '&' ? "&amp;" : piece, to);
    }
}

static zn_status put_data(FILE *to, const page_data *data) {
    return study_view_is_study(data->result) ? page_put_study(to, data) : page_put_data(to, data);
}

/* The policy forbids every request: the page must contain all that it needs. */
static zn_status put_page(FILE *to, const page_data *data, const char *viewer) {
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; style-src "
          "'unsafe-inline'; img-src data: blob:\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" "
          "content=\"light dark\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          to);
    put_html(to, page_title(data));
    fputs("</title>\n</head>\n<body>\n<noscript>This page shows an animation and plots by a script that it "
          "contains.</noscript>\n"
          "<script type=\"application/json\" id=\"zeno-data\">",
          to);
    zn_status status = put_data(to, data);
    fputs("</script>\n<script>", to);
    put_script(to, viewer);
    fputs("</script>\n<script>ZenoViewer.page(JSON.parse(document.getElementById(\"zeno-data\").textContent));</script>\n</"
          "body>\n</html>\n",
          to);
    return status;
}

/* ---- files ---- */

static zn_status write_file(zn_context *context, const char *path, const page_data *data, const char *viewer) {
    output_file *output = NULL;
    zn_status status = output_open(context, path, &output);
    FILE *file = status == ZN_OK ? output_stream(output) : NULL;
    if (status == ZN_OK && !file) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) status = viewer ? put_page(file, data, viewer) : put_data(file, data);
    if (status == ZN_OK) status = output_publish(output);
    output_close(output, false);
    return status;
}

/* ---- the command ---- */

static int wrong(const char *sentence, const char *word) {
    fprintf(stderr, "zeno: %s%s\nusage: %s\n", sentence, word, usage);
    return CLI_USAGE;
}

static int make_page(zn_context *context, const char *path, const char *out, const char *title, const char *results) {
    result_file *result = NULL;
    char *viewer = NULL;
    if (output_check_path(context, out) != ZN_OK || output_check_input(context, out, path) != ZN_OK) return CLI_USAGE;
    if (ends_with(out, ".html") && !(viewer = read_viewer(context))) return CLI_USAGE;
    int code = result_open(context, path, &result) == ZN_OK ? CLI_OK : CLI_FAILED;
    if (code == CLI_OK) {
        page_data data = {context, result, path, title, results};
        if (results && !study_view_is_study(result)) {
            fail(context, ZN_ERROR_ARGUMENT, "--results belongs to a study, which %s is not", path);
            code = CLI_USAGE;
        } else if (write_file(context, out, &data, viewer) != ZN_OK) code = CLI_FAILED;
    }
    result_close(result);
    mem_free(context, viewer);
    return code;
}

int cli_page(int argc, char **argv) {
    const char *result = NULL, *out = NULL, *title = NULL, *results = NULL;
    bool want_help = false;
    const cli_option table[] = {{.name = "--out", .value = &out},
                                {.name = "--title", .value = &title},
                                {.name = "--results", .value = &results},
                                {.name = "--help", .flag = &want_help}};
    int n_positional;
    if (!cli_parse(argc, argv, usage, sizeof table / sizeof *table, table, 1, &result, &n_positional)) return CLI_USAGE;
    if (want_help) {
        printf("usage: %s\n%s", usage, help);
        return CLI_OK;
    }
    if (!result) return wrong("which result? Its file is missing", "");
    if (!out) return wrong("--out FILE.html is missing", "");
    if (!ends_with(out, ".html") && !ends_with(out, ".json")) return wrong("--out takes a name that ends with .html or .json, not ", out);
    zn_context *context = zn_context_create(NULL);
    int code = context ? make_page(context, result, out, title, results) : CLI_FAILED;
    if (code != CLI_OK) fprintf(stderr, "zeno: %s\n", context ? zn_error_text(context) : zn_status_text(ZN_ERROR_MEMORY));
    zn_context_destroy(context);
    return code;
}
