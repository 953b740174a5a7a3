#include "json.h"

#include "cli.h"

#include <math.h>
#include <stdio.h>

void cli_json_name(pl_text *json, const char *name)
{
  char last = json->size ? json->data[json->size - 1] : '[';
  if (last != '{' && last != '[') pl_text_add(json, ",");
  if (!name) return;
  pl_text_add(json, "\"");
  pl_text_json(json, name);
  pl_text_add(json, "\":");
}

void cli_json_text(pl_text *json, const char *name, const char *value)
{
  cli_json_name(json, name);
  pl_text_add(json, value ? "\"" : "null");
  if (!value) return;
  pl_text_json(json, value);
  pl_text_add(json, "\"");
}

void cli_json_number(pl_text *json, const char *name, double value)
{
  cli_json_name(json, name);
  if (isfinite(value))
    pl_text_number(json, value);
  else
    pl_text_add(json, "null");
}

void cli_json_numbers(pl_text *json, const char *name, const double *values, int count)
{
  cli_json_open(json, name, '[');
  for (int i = 0; i < count; i++) cli_json_number(json, NULL, values[i]);
  cli_json_close(json, ']');
}

void cli_json_flag(pl_text *json, const char *name, int value)
{
  cli_json_name(json, name);
  pl_text_add(json, value ? "true" : "false");
}

void cli_json_open(pl_text *json, const char *name, char bracket)
{
  cli_json_name(json, name);
  pl_text_add(json, "%c", bracket);
}

void cli_json_close(pl_text *json, char bracket) { pl_text_add(json, "%c", bracket); }

int cli_json_print(pl_text *json, int code)
{
  pl_error error = {0};
  if (pl_text_ok(json, &error))
    code = cli_fail_error(&error);
  else
    printf("%s\n", json->data);
  pl_text_release(json);
  return code;
}
