/* Tern's version, the one place that it is changed in: `tern --version` prints it, the npm package
 * and the changelog repeat it, and a test compares them. */
#ifndef TERN_VERSION_H
#define TERN_VERSION_H

#define TERN_VERSION "0.1.0"
/* Of the shared library: libtern.so.N. It grows when a function changes or goes; test/first has the
 * list of those that are there. */
#define TERN_SOVERSION 0

#endif
