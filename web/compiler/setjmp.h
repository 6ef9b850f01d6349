/* setjmp for the compiler as WebAssembly: wasi-libc has none. clang turns the calls into
 * WebAssembly exceptions (-mllvm -wasm-enable-sjlj); jump.c has what it calls for that. */
#ifndef WEB_SETJMP_H
#define WEB_SETJMP_H

typedef struct {
    unsigned id; /* of the call of setjmp; clang's code reads it here */
    struct {
        void *buffer;
        int value;
    } thrown; /* and these two from the exception */
} jmp_buf[1];

int setjmp(jmp_buf) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf, int);

#endif
