/* What the worker calls of the page's module. */
#ifndef PL_WEB_HOST_H
#define PL_WEB_HOST_H

#include <stddef.h>

const char *host_error(void);
void host_stop(void);
int host_start(const char *path, const char *folder, int threads, int playing);
int host_send(const char *line);
double host_turn(void);
int host_next(void);
const char *host_data(void);
size_t host_size(void);
int host_is_text(int slot);
const char *host_facts(void);
int host_shape(const char *file, const char *folder, const char *up);

#endif
