"""What a compile made, stage by stage, for who wants to look: option trace, or FERRITE_DEBUG, names a folder."""

import os

STAGES = {"read": "read.fx", "fx": "passes.fx", "loop": "loops.loop", "sched": "schedule.sched", "kern": "kernels.kern",
          "plan": "plan.txt", "wrap": "program.wrap", "c": "program.c", "provenance": "provenance.json"}


def folder(given=None):
    """The folder that is asked for, or None."""
    return os.fspath(given) if given else os.environ.get("FERRITE_DEBUG") or None


def place(parent, name):
    """A new folder there: name_1, name_2, ..."""
    number = 1
    while True:
        path = os.path.join(parent, f"{name}_{number}")
        try:
            os.makedirs(path)
            return path
        except FileExistsError:
            number += 1


def write(path, session):
    """Every intermediate form of what the session has compiled, the C sources, the plan and the report."""
    for stage, name in STAGES.items():
        with open(os.path.join(path, name), "wb") as file:
            file.write(session.inspect(stage))
    session.write("report", os.path.join(path, "report.html"))
