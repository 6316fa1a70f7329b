/* SPDX-License-Identifier: Apache-2.0 */
/* Teams of threads: every task is done once, by somebody who may; loops follow each other; memory may be asked for by all. Also run with
 * the thread checker (make test-threads). */
#include "base/team.h"
#include "check.h"

#include <string.h>

enum { TASKS = 1000, LOOPS = 200 };

typedef struct counted {
    zn_context *context;
    int done[TASKS], members_most;
    int seen[TEAM_MOST];
    double sums[TASKS];
} counted;

static void count(void *user, int task, int member) {
    counted *c = user;
    c->done[task]++;
    c->seen[member]++;
    for (int k = 1; k <= task; k++) c->sums[task] += 1.0 / k;
}

static void each_task_is_done_once(void **state) {
    (void)state;
    const int threads[] = {0, 1, 2, 3, 8};
    static counted first, c;
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        zn_context *context = zn_context_create(NULL);
        base_team *team = base_team_of(context, threads[i]);
        assert_true((team == NULL) == (threads[i] < 2));
        assert_true(base_team_size(team) >= 1 && base_team_size(team) <= (threads[i] > 1 ? threads[i] : 1));
        memset(&c, 0, sizeof c);
        for (int loop = 0; loop < LOOPS; loop++) base_team_run(team, threads[i], TASKS, count, &c);
        int sum = 0;
        for (int task = 0; task < TASKS; task++) assert_int_equal(c.done[task], LOOPS);
        for (int k = 0; k < TEAM_MOST; k++) sum += c.seen[k];
        assert_int_equal(sum, TASKS * LOOPS);
        for (int k = base_team_size(team); k < TEAM_MOST; k++) assert_int_equal(c.seen[k], 0);
        if (i == 0) first = c;
        assert_memory_equal(first.sums, c.sums, sizeof c.sums); /* bits do not depend on the number of threads */
        base_team_run(team, threads[i], 0, count, &c);
        zn_context_destroy(context);
    }
}

enum { NUMBERS = 1003 };
typedef struct covered {
    int times[NUMBERS], pieces[NUMBERS]; /* pieces: their lengths, at their beginnings */
} covered;

static void cover(void *user, int first, int last) {
    covered *c = user;
    for (int k = first; k < last; k++) c->times[k]++;
    if (last > first) c->pieces[first] = last - first;
}

/* Pieces cover the loop, each number once; few numbers are one piece, of the caller. */
static void loops_are_covered(void **state) {
    (void)state;
    const int counts[] = {0, 1, 7, 39, 40, 41, NUMBERS};
    for (int threads = 0; threads <= 4; threads++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            static covered c;
            zn_context *context = zn_context_create(NULL);
            memset(&c, 0, sizeof c);
            base_share(context, threads, counts[i], 10, cover, &c);
            for (int k = 0; k < NUMBERS; k++) assert_int_equal(c.times[k], k < counts[i]);
            if (threads < 2 || counts[i] < 40) assert_int_equal(c.pieces[0], counts[i]);
            zn_context_destroy(context);
        }
}

/* Parts of their own, and what is left of those of others: also where there are fewer tasks than members, and fewer members than parts. */
static void spread_tasks_are_done_once(void **state) {
    (void)state;
    static counted c;
    const int tasks[] = {0, 1, 2, 3, 5, TASKS};
    zn_context *context = zn_context_create(NULL);
    base_team *team = base_team_of(context, 4);
    for (int threads = 1; threads <= TEAM_MOST; threads += threads < 5 ? 1 : 59)
        for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
            memset(&c, 0, sizeof c);
            for (int loop = 0; loop < LOOPS; loop++) base_team_spread(team, threads, tasks[i], count, &c);
            for (int task = 0; task < TASKS; task++) assert_int_equal(c.done[task], task < tasks[i] ? LOOPS : 0);
            for (int k = threads; k < TEAM_MOST; k++) assert_int_equal(c.seen[k], 0);
        }
    zn_context_destroy(context);
}

/* A loop may have fewer threads than the team, and the team of a context grows with what is asked for. */
static void teams_grow(void **state) {
    (void)state;
    static counted c;
    zn_context *context = zn_context_create(NULL);
    base_team *two = base_team_of(context, 2);
    assert_ptr_equal(base_team_of(context, 2), two);
    base_team *four = base_team_of(context, 4);
    assert_ptr_equal(base_team_of(context, 2), four);
    base_team_run(four, 2, TASKS, count, &c);
    for (int k = 2; k < TEAM_MOST; k++) assert_int_equal(c.seen[k], 0);
    assert_true(base_team_size(base_team_of(context, 10 * TEAM_MOST)) <= TEAM_MOST);
    zn_context_destroy(context);
}

static void allocate(void *user, int task, int member) {
    counted *c = user;
    (void)member;
    void *block = mem_array(c->context, (size_t)(task % 97) + 1, 8);
    c->done[task] = block != NULL;
    mem_free(c->context, block);
}

static void members_may_allocate(void **state) {
    (void)state;
    static counted c;
    c.context = zn_context_create(NULL);
    base_team *team = base_team_of(c.context, 4);
    for (int loop = 0; loop < LOOPS; loop++) base_team_run(team, 4, TASKS, allocate, &c);
    for (int task = 0; task < TASKS; task++) assert_true(c.done[task]);
    zn_context_destroy(c.context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_task_is_done_once), cmocka_unit_test(loops_are_covered),
                                       cmocka_unit_test(spread_tasks_are_done_once), cmocka_unit_test(teams_grow),
                                       cmocka_unit_test(members_may_allocate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
