"""An interrupt may reach SCIP at any moment, also where it takes none."""

import numpy as np
import pytest

from supersparse.engine.mip.run import Talk
from supersparse.engine.mip.scip import ScipSolver, _listen

pyscipopt = pytest.importorskip("pyscipopt", reason="scip is not installed")


def test_an_interrupt_between_two_stages_is_not_an_error(capfd):
    with ScipSolver().session({}) as scip:
        interrupt_between_two_stages(scip)
    assert "ERROR" not in capfd.readouterr().err


def interrupt_between_two_stages(scip):
    random = np.random.default_rng(0)
    variables = [scip.addVar(vtype="B", obj=-float(gain)) for gain in random.integers(20, 99, 60)]
    for weights in random.integers(20, 99, (8, 60)).tolist():
        scip.addCons(pyscipopt.quicksum(w * v for w, v in zip(weights, variables, strict=True)) <= 1500)
    talk = Talk(lambda report: None)
    listener = _listen(scip, variables, talk)
    stages = []

    class AtTheSeam(pyscipopt.Eventhdlr):
        def eventinitsol(self):
            stages.append(self.model.getStage())
            with talk.interrupted_by(listener.interrupt):
                talk.stop()

    scip.includeEventhdlr(AtTheSeam(), "seam", "interrupts while the solve is being set up")
    scip.optimizeNogil()
    assert stages == [pyscipopt.SCIP_STAGE.INITSOLVE]
    assert scip.getStatus() == "userinterrupt", "the next event stops it"
    assert np.isfinite(scip.getDualbound())
