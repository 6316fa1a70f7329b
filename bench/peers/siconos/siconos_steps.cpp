// SPDX-License-Identifier: Apache-2.0
// The small systems of bench/ in Siconos: Moreau-Jean, theta = 1/2, contacts forecast half a step ahead. With constant mass and
// linear gaps this is the same scheme as moreau-midpoint (springs are implicit in Siconos, at the midpoint in ours).
//
//   siconos_steps SCENE STEP END SECONDS     measures for at least SECONDS and prints one line:
//   steps  microseconds a step (median over runs)  (fastest run)  q(END) ...
//
// Siconos is given its fast path: linear time-invariant systems (the iteration matrix is factorised once), one Newton iteration
// a step, no output, and the solver that was the fastest of those that solve these systems (planar friction: NSGS before Lemke
// and enumeration; CPG fails). Only computeOneStep and nextStep are timed.
#include <Friction_cst.h>
#include <SiconosKernel.hpp>
#include <SolverOptions.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

namespace {

// A contact: rows of gap and (planar friction) slip, linear in q and u; gap = rows[0] . q + offset.
struct Contact {
    std::vector<std::vector<double>> rows;
    double offset, restitution, friction;
};

struct System {
    const char *name;
    std::vector<double> q, u, force;
    std::vector<std::vector<double>> mass, stiffness;
    std::vector<Contact> contacts;
};

System bouncing_ball() {
    const double m = 0.1, g = 9.81;
    return {"bouncing-ball", {1}, {0}, {-m * g}, {{m}}, {}, {{{{1}}, 0, 0.75, 0}}};
}

System rotating_ball() {
    const double m = 1, R = 0.1, theta = 0.4 * m * R * R, g = 10;
    return {"rotating-ball",
            {0, 1, 0},
            {0, 0, 50},
            {0, -m * g, 0},
            {{m, 0, 0}, {0, m, 0}, {0, 0, theta}},
            {},
            {{{{0, 1, 0}, {1, 0, R}}, -R, 0, 0.2}}};
}

System woodpecker() {
    const double m_M = 3e-4, J_M = 5e-9, m_S = 4.5e-3, J_S = 7e-7, c = 5.6e-3, g = 9.81, r_0 = 2.5e-3, r_M = 3.1e-3;
    const double h_M = 5.8e-3, l_M = 1e-2, l_G = 1.5e-2, h_S = 2e-2, l_S = 2.01e-2, mu = 0.3;
    return {"woodpecker",
            {0, -0.1036, -0.2788},
            {-0.3411, 0, -7.4583},
            {-g * (m_S + m_M), -g * m_S * l_M, -g * m_S * l_G},
            {{m_S + m_M, m_S * l_M, m_S * l_G},
             {m_S * l_M, J_M + m_S * l_M * l_M, m_S * l_M * l_G},
             {m_S * l_G, m_S * l_M * l_G, J_S + m_S * l_G * l_G}},
            {{0, 0, 0}, {0, c, -c}, {0, -c, c}},
            {{{{0, 0, -h_S}, {1, l_M, l_G - l_S}}, l_M + l_G - l_S - r_0, 0.5, mu},
             {{{0, h_M, 0}, {1, r_M, 0}}, r_M - r_0, 0, mu},
             {{{0, -h_M, 0}, {1, r_M, 0}}, r_M - r_0, 0, mu}}};
}

SP::SiconosVector to_vector(const std::vector<double> &from) {
    SP::SiconosVector v(new SiconosVector(static_cast<unsigned>(from.size())));
    for (unsigned i = 0; i < from.size(); i++) v->setValue(i, from[i]);
    return v;
}

SP::SimpleMatrix to_matrix(const std::vector<std::vector<double>> &from) {
    SP::SimpleMatrix m(new SimpleMatrix(static_cast<unsigned>(from.size()), static_cast<unsigned>(from[0].size())));
    m->zero();
    for (unsigned i = 0; i < from.size(); i++)
        for (unsigned j = 0; j < from[i].size(); j++) m->setValue(i, j, from[i][j]);
    return m;
}

struct Run {
    SP::LagrangianLinearTIDS body;
    SP::TimeStepping simulation;
};

Run prepare(const System &system, double step, double end) {
    Run run;
    run.body.reset(new LagrangianLinearTIDS(to_vector(system.q), to_vector(system.u), to_matrix(system.mass)));
    run.body->setFExtPtr(to_vector(system.force));
    if (!system.stiffness.empty()) run.body->setKPtr(to_matrix(system.stiffness));
    SP::NonSmoothDynamicalSystem all(new NonSmoothDynamicalSystem(0, end));
    all->insertDynamicalSystem(run.body);
    bool friction = false;
    for (const Contact &contact : system.contacts) {
        unsigned rows = static_cast<unsigned>(contact.rows.size());
        friction = friction || rows > 1;
        SP::SiconosVector offset(new SiconosVector(rows));
        offset->zero();
        offset->setValue(0, contact.offset);
        SP::Relation relation(new LagrangianLinearTIR(to_matrix(contact.rows), offset));
        SP::NonSmoothLaw law;
        if (rows > 1) law.reset(new NewtonImpactFrictionNSL(contact.restitution, 0, contact.friction, rows));
        else law.reset(new NewtonImpactNSL(contact.restitution));
        all->link(SP::Interaction(new Interaction(law, relation)), run.body);
    }
    SP::TimeDiscretisation grid(new TimeDiscretisation(0, step));
    SP::OneStepIntegrator scheme(new MoreauJeanOSI(0.5));
    SP::OneStepNSProblem problem;
    if (friction) problem.reset(new FrictionContact(2, SICONOS_FRICTION_2D_NSGS));
    else problem.reset(new LCP());
    problem->numericsSolverOptions()->dparam[SICONOS_DPARAM_TOL] = 1e-10;
    run.simulation.reset(new TimeStepping(all, grid, scheme, problem));
    run.simulation->setNewtonOptions(SICONOS_TS_LINEAR);
    run.simulation->setDisplayNewtonConvergence(false);
    return run;
}

double processor_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void measure(const System &system, double step, double end, double wanted_seconds) {
    const long steps = std::lround(end / step);
    std::vector<double> cost, q;
    double total = 0;
    for (int run_number = 0; run_number < 5 || total < wanted_seconds; run_number++) {
        Run run = prepare(system, step, end + step);
        double start = processor_seconds();
        for (long i = 0; i < steps; i++) {
            run.simulation->computeOneStep();
            run.simulation->nextStep();
        }
        double taken = processor_seconds() - start;
        if (run_number > 0) { // the first one warms up
            cost.push_back(1e6 * taken / static_cast<double>(steps));
            total += taken;
        }
        q.clear();
        for (unsigned i = 0; i < system.q.size(); i++) q.push_back(run.body->q()->getValue(i));
    }
    std::printf("%ld %.6g %.6g", steps, median(cost), *std::min_element(cost.begin(), cost.end()));
    for (double value : q) std::printf(" %.17g", value);
    std::printf("\n");
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 5) {
        std::fprintf(stderr, "usage: siconos_steps SCENE STEP END SECONDS\n");
        return 2;
    }
    const System systems[] = {bouncing_ball(), rotating_ball(), woodpecker()};
    for (const System &system : systems) {
        if (std::strcmp(system.name, argv[1]) != 0) continue;
        measure(system, std::atof(argv[2]), std::atof(argv[3]), std::atof(argv[4]));
        return 0;
    }
    std::fprintf(stderr, "siconos_steps: no system '%s'\n", argv[1]);
    return 3;
}
