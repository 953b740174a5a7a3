/* Errors as values: a code, a place and a sentence. */
#include "core/error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PL_TEXT_(x) #x
#define PL_TEXT(x)  PL_TEXT_(x)

const char *pl_version(void)
{
  return PL_TEXT(PL_VERSION_MAJOR) "." PL_TEXT(PL_VERSION_MINOR) "." PL_TEXT(PL_VERSION_PATCH);
}

const char *pl_status_text(pl_status status)
{
#define X(name, text) [name] = text,
  static const char *const texts[] = {PL_STATUSES(X)};
#undef X
  return (int)status >= 0 && status < PL_STATUS_COUNT ? texts[status] : "unknown status";
}

static void fill(pl_error *error, pl_status code, const char *source, int line, int64_t entity,
                 const char *format, va_list arguments)
{
  if (!error) return;
  error->code = code;
  error->line = line;
  error->entity = entity;
  error->time = NAN;
  snprintf(error->source, sizeof error->source, "%s", source ? source : "");
  vsnprintf(error->message, sizeof error->message, format, arguments);
}

pl_status pl_fail(pl_error *error, pl_status code, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fill(error, code, NULL, 0, -1, format, arguments);
  va_end(arguments);
  return code;
}

pl_status pl_fail_at(pl_error *error, pl_status code, const char *source, int line,
                     const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fill(error, code, source, line, -1, format, arguments);
  va_end(arguments);
  return code;
}

pl_status pl_fail_entity(pl_error *error, pl_status code, int64_t entity, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fill(error, code, NULL, 0, entity, format, arguments);
  va_end(arguments);
  return code;
}

pl_status pl_fail_memory(pl_error *error)
{
  return pl_fail(error, PL_E_MEMORY, "out of memory; use a coarser mesh or a larger machine");
}

pl_status pl_error_locate(pl_error *error, pl_status code, const char *source, int line)
{
  if (error && !error->source[0]) {
    snprintf(error->source, sizeof error->source, "%s", source ? source : "");
    error->line = line;
  }
  return code;
}

char *pl_error_text(const pl_error *error, char *buffer, size_t size)
{
  if (!buffer) return NULL;
  if (!error) {
    snprintf(buffer, size, "%s", "");
  } else if (!error->source[0]) {
    snprintf(buffer, size, "%s", error->message);
  } else if (error->line > 0) {
    snprintf(buffer, size, "%s:%d: %s", error->source, error->line, error->message);
  } else {
    snprintf(buffer, size, "%s: %s", error->source, error->message);
  }
  return buffer;
}

void pl_log_write(const pl_log *log, pl_level level, const char *format, ...)
{
  if (!log || !log->write) return;
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  log->write(log->context, level, text);
}
