"""Other solvers that read a written program, solve it, and write solution files of their own."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def by_highs(program, solution):
    highspy = pytest.importorskip("highspy")
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("mip_rel_gap", 0.0)
    assert highs.readModel(str(program)) == highspy.HighsStatus.kOk
    highs.run()
    highs.writeSolution(str(solution), 0)
    return highs.getInfo().objective_function_value


def by_scip(program, solution):
    pyscipopt = pytest.importorskip("pyscipopt", reason="SCIP is not installed")
    scip = pyscipopt.Model()
    scip.hideOutput()
    scip.readProblem(str(program))
    scip.optimize()
    if scip.getNSols():
        scip.writeBestSol(str(solution))
        return scip.getObjVal()
    return None


def by_gurobi(program, solution):
    gurobipy = pytest.importorskip("gurobipy", reason="Gurobi is not installed")
    with gurobipy.Env(empty=True) as environment:
        environment.setParam("OutputFlag", 0)
        environment.start()
        with gurobipy.read(str(program), env=environment) as gurobi:
            gurobi.Params.MIPGap = 0
            gurobi.optimize()
            if gurobi.SolCount:
                gurobi.write(str(solution))
                return gurobi.ObjVal
            return None


def by_cplex(program, solution):
    package = pytest.importorskip("cplex", reason="CPLEX is not installed")
    with package.Cplex() as cplex:
        for stream in ("log", "results", "warning", "error"):
            getattr(cplex, f"set_{stream}_stream")(None)
        cplex.read(str(program))
        cplex.parameters.mip.tolerances.mipgap.set(0.0)
        cplex.solve()
        if cplex.solution.is_primal_feasible():
            cplex.solution.write(str(solution))
            return cplex.solution.get_objective_value()
        return None


def by_cpsat(program, solution):
    """In a process of its own: OR-Tools and highspy do not share one."""
    if find_spec("ortools") is None:
        pytest.skip("OR-Tools is not installed")
    command = [sys.executable, "-m", "benchmarks.cpsat_file", str(program), str(solution)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    state, value = done.stdout.rsplit(maxsplit=1)
    assert state == "optimal"
    return float(value)


READERS = {"highs": by_highs, "scip": by_scip, "gurobi": by_gurobi, "cplex": by_cplex, "cpsat": by_cpsat}
WAYS = [
    (name, form, formulation)
    for name in READERS
    for form in ("mps", "lp")
    for formulation in ("bigm", "indicator")
    if not (name == "highs" and formulation == "indicator")  # it has no such constraints
    if not (name == "cpsat" and form == "lp")  # OR-Tools reads no LP format
]
