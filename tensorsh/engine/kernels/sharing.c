/* Threads that share the pieces of a kernel's work: they see pointers and sizes, and need no lock of Python's.

   A thread takes the next piece until there are none. The one that asks for the work does so, too, and then waits for those alone that
   took part, so that nobody waits for a thread that is slow to wake. One job is shared at a time; whoever asks meanwhile, a piece of
   another job among them, works alone. A child process begins without helpers. */
#include "kernels.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#define MOST 64           /* threads */
#define PATIENCE 4000     /* looks for a change, some ten microseconds, before a thread sleeps */
#define STACK (1 << 20)

#if defined(__x86_64__) || defined(__i386__)
#define PAUSE __builtin_ia32_pause()
#else
#define PAUSE (void)0
#endif

static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begun = PTHREAD_COND_INITIALIZER, left = PTHREAD_COND_INITIALIZER;
static struct { PieceOfWork run; void *data; size pieces; } job;
static atomic_ptrdiff_t next;
static atomic_int allowed = 1, helpers, places, inside; /* threads: wanted, that wait for work, that may still join a job, that have joined it */

static atomic_ptrdiff_t least_work = SHARED_WORK;

void share_among(int threads, size least) {
    atomic_store(&allowed, threads < 1 ? 1 : threads > MOST ? MOST : threads);
    atomic_store(&least_work, least);
}
size least_shared(void) { return atomic_load_explicit(&least_work, memory_order_relaxed); }
static _Thread_local int alone; /* whether this thread is one of several that share work above */
int stay_alone(int on) {
    const int before = alone;
    alone = on;
    return before;
}
int sharers(void) { return alone ? 1 : atomic_load_explicit(&allowed, memory_order_relaxed); }

static void take_pieces(int thread) {
    for (size piece; (piece = atomic_fetch_add(&next, 1)) < job.pieces;) job.run(job.data, piece, thread);
}

static void *help(void *nothing) {
    for (;;) {
        for (int k = 0; k < PATIENCE && atomic_load(&places) == 0; k++) PAUSE;
        pthread_mutex_lock(&gate);
        while (atomic_load(&places) == 0) pthread_cond_wait(&begun, &gate);
        const int thread = atomic_fetch_sub(&places, 1);
        atomic_fetch_add(&inside, 1);
        pthread_mutex_unlock(&gate);
        take_pieces(thread);
        pthread_mutex_lock(&gate);
        atomic_store(&places, 0); /* there are no pieces left */
        if (atomic_fetch_sub(&inside, 1) == 1) pthread_cond_signal(&left);
        pthread_mutex_unlock(&gate);
    }
    return nothing;
}

static void forget(void) {
    pthread_mutex_init(&asking, NULL), pthread_mutex_init(&gate, NULL);
    pthread_cond_init(&begun, NULL), pthread_cond_init(&left, NULL);
    atomic_store(&helpers, 0), atomic_store(&places, 0), atomic_store(&inside, 0);
}

/* Signals are for the threads of Python. */
static void hire(int many) {
    static int watched = 0;
    pthread_attr_t how;
    pthread_t thread;
    sigset_t all, before;
    if (atomic_load(&helpers) >= many || (!watched && pthread_atfork(NULL, NULL, forget)) || pthread_attr_init(&how)) return;
    watched = 1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED), pthread_attr_setstacksize(&how, STACK);
    while (atomic_load(&helpers) < many && pthread_create(&thread, &how, help, NULL) == 0)
        atomic_fetch_add(&helpers, 1);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&how);
}

void share_pieces(PieceOfWork run, void *data, size pieces) {
    const int many = (int)(sharers() < pieces ? sharers() : pieces) - 1;
    if (many < 1 || pthread_mutex_trylock(&asking)) {
        for (size piece = 0; piece < pieces; piece++) run(data, piece, 0);
        return;
    }
    hire(many);
    pthread_mutex_lock(&gate);
    job.run = run, job.data = data, job.pieces = pieces;
    atomic_store(&next, 0), atomic_store(&places, many < atomic_load(&helpers) ? many : atomic_load(&helpers));
    pthread_cond_broadcast(&begun);
    pthread_mutex_unlock(&gate);
    take_pieces(0);
    for (int k = 0; k < PATIENCE && atomic_load(&inside); k++) PAUSE;
    pthread_mutex_lock(&gate);
    atomic_store(&places, 0);
    while (atomic_load(&inside)) pthread_cond_wait(&left, &gate);
    pthread_mutex_unlock(&gate);
    pthread_mutex_unlock(&asking);
}

/* A loop over elements that do not depend on one another, unless results are arguments of those after them. */
typedef struct { UfuncRun run; void *data; char **places; const size *steps; size count; int operands; } Loop;

#define ELEMENTS (1 << 14)
#define WIDEST 16 /* bytes of an element */
static void elements_of(void *data, size piece, int thread) {
    const Loop *loop = data;
    const size first = piece * ELEMENTS, some = loop->count - first < ELEMENTS ? loop->count - first : ELEMENTS;
    char *at[UFUNC_PLACES];
    (void)thread;
    for (int k = 0; k < loop->operands; k++) at[k] = loop->places[k] + first * loop->steps[k];
    loop->run(at, &some, loop->steps, loop->data);
}

void share_elements(UfuncRun run, void *data, char **places, const size *count, const size *steps, int operands) {
    Loop loop = {run, data, places, steps, *count, operands};
    const int out = operands - 1;
    int alone = *count < least_shared() || sharers() < 2 || steps[out] == 0;
    for (int k = 0; !alone && k < out; k++) alone = crosses(places[k], steps[k], places[out], steps[out], *count, WIDEST);
    if (alone) run(places, count, steps, data);
    else share_pieces(elements_of, &loop, (*count + ELEMENTS - 1) / ELEMENTS);
}
