/* JSON for other programs: objects and arrays, written as they grow. */
#ifndef PL_CLI_JSON_H
#define PL_CLI_JSON_H

#include "core/text.h"

/* "name": in front of a value, with the comma that it needs; NULL: an entry of an array. */
void cli_json_name(pl_text *json, const char *name);
void cli_json_text(pl_text *json, const char *name, const char *value); /* NULL: null */
/* What is not finite becomes null. */
void cli_json_number(pl_text *json, const char *name, double value);
void cli_json_numbers(pl_text *json, const char *name, const double *values, int count);
void cli_json_flag(pl_text *json, const char *name, int value);
/* "{" or "[" and its end. */
void cli_json_open(pl_text *json, const char *name, char bracket);
void cli_json_close(pl_text *json, char bracket);

/* Prints it with a line end, and releases it; returns the code or that of a failure. */
int cli_json_print(pl_text *json, int code);

#endif
