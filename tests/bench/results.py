"""From measured runs to medians, ratios and the tables that are printed."""

import json
import statistics
from dataclasses import asdict, dataclass, field


@dataclass
class Run:
    size: str
    job: str
    processes: int
    program: str
    wall_s: float
    cpu_s: float
    peak_bytes: int
    output_bytes: int
    perf: dict | None = None  # what --perf said


@dataclass
class Summary:
    """Runs of one program on one job: medians, and their ratio to those of the first program."""

    size: str
    job: str
    processes: int
    program: str
    runs: int
    wall_s: float
    cpu_s: float
    peak_bytes: int
    output_bytes: int
    wall_ratio: float = 1.0
    cpu_ratio: float = 1.0
    stages: dict = field(default_factory=dict)  # busy seconds by stage


def perf_of(stderr):
    """The report among the lines of a run with --perf --progress json."""
    for line in stderr.splitlines():
        if line.startswith('{"perf":'):
            return json.loads(line)["perf"]
    return None


def busy_seconds(perf):
    """Of each stage, over all processes and threads."""
    seconds = {}
    for process in perf["processes"]:
        for stage in process["stages"]:
            seconds[stage["stage"]] = seconds.get(stage["stage"], 0.0) + stage["busy_s"]
    return seconds


def median_of_stages(runs):
    """Median by stage; a stage that a run did not have took no time in it."""
    each = [busy_seconds(run.perf) for run in runs if run.perf]
    names = dict.fromkeys(name for seconds in each for name in seconds)
    return {name: statistics.median(s.get(name, 0.0) for s in each) for name in names}


def summary_of(runs):
    first = runs[0]
    return Summary(
        first.size,
        first.job,
        first.processes,
        first.program,
        len(runs),
        statistics.median(run.wall_s for run in runs),
        statistics.median(run.cpu_s for run in runs),
        max(run.peak_bytes for run in runs),
        first.output_bytes,
        stages=median_of_stages(runs),
    )


def summaries(runs):
    """One for each size, job, number of processes and program, in the order they were run."""
    groups = {}
    for run in runs:
        case = (run.size, run.job, run.processes)
        groups.setdefault(case, {}).setdefault(run.program, []).append(run)
    found = []
    for programs in groups.values():
        ours = None
        for measured in programs.values():
            summary = summary_of(measured)
            ours = ours or summary
            summary.wall_ratio = summary.wall_s / ours.wall_s
            summary.cpu_ratio = summary.cpu_s / ours.cpu_s
            found.append(summary)
    return found


def table(all_summaries):
    lines = []
    case = None
    for s in all_summaries:
        if (s.size, s.job, s.processes) != case:
            case = (s.size, s.job, s.processes)
            lines += ["", f"{s.job}, {s.size} pixels, {s.processes} processes"]
            lines.append(
                f"  {'program':<10}{'runs':>5}{'wall s':>9}{'CPU s':>9}{'peak MB':>9}"
                f"{'output MB':>11}{'wall x':>8}{'CPU x':>8}"
            )
        lines.append(
            f"  {s.program:<10}{s.runs:>5}{s.wall_s:>9.2f}{s.cpu_s:>9.2f}"
            f"{s.peak_bytes / 1e6:>9.0f}{s.output_bytes / 1e6:>11.1f}"
            f"{s.wall_ratio:>8.1f}{s.cpu_ratio:>8.1f}"
        )
        if s.stages:
            parts = [f"{name} {seconds:.2f}" for name, seconds in s.stages.items()]
            lines.append("    busy s: " + ", ".join(parts))
    return "\n".join(lines)


def as_json(machine, runs):
    return json.dumps(
        {
            "machine": machine,
            "runs": [asdict(run) for run in runs],
            "summaries": [asdict(summary) for summary in summaries(runs)],
        },
        indent=1,
    )
