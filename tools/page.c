// SPDX-License-Identifier: MIT
/*
 * Pages for a browser that hold their data and need no network. A template (tools/NAME_page.html,
 * which the build makes a string) has @TITLE@ and @DATA@ where these go. The data is JSON, in which
 * "<" stands in strings only; it is escaped there, so that no string can end the script element.
 */
#include <errno.h>
#include <string.h>
#include "tools/page.h"

static void put_title(FILE *f, const char *title)
{
	for (; *title; title++)
		switch (*title) {
		case '<':
			fputs("&lt;", f);
			break;
		case '&':
			fputs("&amp;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		default:
			fputc(*title, f);
		}
}

static void put_data(FILE *f, const char *data, size_t bytes)
{
	while (bytes) {
		const char *less = memchr(data, '<', bytes);
		size_t n = less ? (size_t)(less - data) : bytes;

		fwrite(data, 1, n, f);
		if (less)
			fputs("\\u003c", f);
		n += less != NULL;
		data += n;
		bytes -= n;
	}
}

bool write_page(const struct verb *v, const char *path, const char *page, const char *title,
		const char *data, size_t bytes)
{
	FILE *f = fopen(path, "w");
	bool good;

	while (f && *page) {
		size_t n = strcspn(page, "@");

		fwrite(page, 1, n, f);
		page += n;
		if (!strncmp(page, "@TITLE@", 7)) {
			put_title(f, title);
			page += 7;
		} else if (!strncmp(page, "@DATA@", 6)) {
			put_data(f, data, bytes);
			page += 6;
		} else if (*page) {
			fputc(*page++, f);
		}
	}
	good = f && !ferror(f);
	if (f && fclose(f))
		good = false;
	if (!good)
		report_error(v, "cannot write '%s': %s", path, strerror(errno));
	return good;
}
