"""Real kernel NFS: the same bytes as on a local disk, also when the server restarts in mid-run.

Each test boots User-Mode-Linux once (umlnfs beside this file) and runs a script inside, which prints a
line a round: `good`, or what was wrong. What the script compares with is made outside, on a local disk.
"""

import re
import shlex
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from support.jobs import BALANCE, BALANCED, DATE, SOURCE, ZOOMIFY, result_of
from support.program import PROGRAM, TIMEOUT_S
from support.tally import judged

pytestmark = pytest.mark.ours

UMLNFS = Path(__file__).with_name("umlnfs")
MISSING = 125
JOBS = [ZOOMIFY, BALANCED, BALANCE]
# With three jobs, some twenty runs on each kind of mount.
ROUNDS = 7
# User-Mode-Linux runs a program some five times slower than the machine does.
ROUND_S = TIMEOUT_S / 2


@pytest.fixture(scope="module", autouse=True)
def _needs_umlnfs():
    if shutil.which("linux.uml") is None:
        pytest.skip("user-mode-linux is absent: no NFS was tried")


# fresh NAME: an empty folder of that name with the input of the job, entered.
# judge FOLDER OUTPUT: `good` if the server has the right bytes there and nothing else, else what it has.
# either FOLDER OUTPUT: `good` as well if the server has what was there before.
FUNCTIONS = """
fresh() { mkdir "$NFS/$1" && cd "$NFS/$1" && cp "$host/in" in.cool; }
listed() { ls -A "$EXPORT/$1" | grep -vx -e in.cool -e "$2" | tr '\\n' ' '; }
is_right() { cmp -s "$EXPORT/$1/$2" "$host/right"; }
is_old() { if [ "$2" = in.cool ]; then cmp -s "$EXPORT/$1/in.cool" "$host/in"; else [ ! -e "$EXPORT/$1/$2" ]; fi; }
verdict() { left=$(listed "$1" "$2"); if [ -z "$left" ]; then echo good; else echo "left $left"; fi; }
judge() { if is_right "$@"; then verdict "$@"; else echo wrong; fi; }
either() { if is_right "$@" || is_old "$@"; then verdict "$@"; else echo wrong; fi; }
nap() { sleep "$(printf '%d.%09d' $(($1 / 1000000000)) $(($1 % 1000000000)))"; }
"""


def on_nfs(job, folder, script, *options, limit_s=2 * TIMEOUT_S):
    """Runs the script, in which $run is the job's command; {line: how often} of what it printed."""
    job.prepare()
    shutil.move(SOURCE, folder / "in")
    (folder / "right").write_bytes(result_of(job))
    words = shlex.join([PROGRAM, *job.command(2)])
    begin = f"host={folder} run={shlex.quote(words)} out={job.output}\n"
    begin += f"export SOURCE_DATE_EPOCH={DATE['SOURCE_DATE_EPOCH']}\n{FUNCTIONS}\n"
    command = [UMLNFS, *options, f"--limit={limit_s:.0f}", "--", "bash", "-c", begin + script]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    if done.returncode == MISSING:
        pytest.skip(f"no NFS here: {done.stderr.strip()[-300:]}")
    assert done.returncode == 0, f"{done.returncode}: {done.stdout}{done.stderr}"
    lines = Counter(done.stdout.splitlines())
    for _ in range(lines["good"]):
        judged()
    return lines, done.stderr


def all_good(outcome, rounds):
    lines, err = outcome
    assert lines["good"] == rounds, f"{dict(lines)}\n{err}"
    assert set(lines) <= {"good", "in mid-run"}, f"{dict(lines)}\n{err}"


# Other hosts may see an old name for as long as they keep attributes, so it is asked for late.
ONCE = """
fresh here; $run && judge here $out
sleep 4; cmp -s $NFS2/here/$out $host/right && echo good || echo "another host sees something else"
"""

MANY = """
for i in $(seq $rounds); do fresh $i; $run || echo "code $?"; judge $i $out; done
"""

# At work is who has made a work folder, and has not ended when the server has gone.
RESTARTED = """
fresh 1
$run & job=$!
until ls -d .$out.ziggurat-* >/dev/null 2>&1 || ! kill -0 $job 2>/dev/null; do sleep 0.01; done
nfs-stop; kill -0 $job 2>/dev/null && echo in mid-run; nfs-start
wait $job || echo "code $?"
judge 1 $out
"""

# The same at random moments.
DISTURBED = """
fresh 0; began=$(date +%s%N); $run || echo "code $?"; judge 0 $out; long=$(($(date +%s%N) - began))
for i in $(seq $rounds); do
  fresh $i
  $run & job=$!
  nap $((RANDOM * long / 32768))
  nfs-stop; kill -0 $job 2>/dev/null && echo in mid-run; sleep $away; nfs-start
  wait $job || echo "code $?"
  judge $i $out
done
"""


@pytest.mark.parametrize("job", [ZOOMIFY, BALANCE], ids=str)
@pytest.mark.parametrize("version", ["4.2", "3"])
def test_the_same_bytes(version, job, tmp_path):
    all_good(on_nfs(job, tmp_path, ONCE, f"--vers={version}"), 2)


def test_a_server_that_restarts_in_mid_run(tmp_path):
    outcome = on_nfs(BALANCED, tmp_path, RESTARTED)
    all_good(outcome, 1)
    assert outcome[0]["in mid-run"] == 1


@pytest.mark.long
@pytest.mark.parametrize("away_s", [0, 10], ids=["restart", "away"])
@pytest.mark.parametrize("job", JOBS, ids=str)
@pytest.mark.parametrize("version", ["4.2", "3"])
def test_many_restarts_in_mid_run(version, job, away_s, tmp_path):
    script = f"rounds={ROUNDS} away={away_s}\n{DISTURBED}"
    # The server's grace period comes to each round.
    limit_s = (2 + ROUNDS) * (ROUND_S + away_s + 10)
    outcome = on_nfs(job, tmp_path, script, f"--vers={version}", limit_s=limit_s)
    all_good(outcome, ROUNDS + 1)
    assert outcome[0]["in mid-run"] > 0


@pytest.mark.long
@pytest.mark.parametrize("job", JOBS, ids=str)
@pytest.mark.parametrize(
    "mount",
    [("4.2", ""), ("4.1", ""), ("4.0", ""), ("3", ""), ("3", "nolock"), ("3", "local_lock=all")],
    ids=lambda mount: "-".join(filter(None, mount)),
)
def test_many_runs(mount, job, tmp_path):
    options = [f"--vers={mount[0]}", *([f"--opts={mount[1]}"] if mount[1] else [])]
    script = f"rounds={ROUNDS}\n{MANY}"
    all_good(on_nfs(job, tmp_path, script, *options, limit_s=ROUNDS * ROUND_S), ROUNDS)


# On a soft mount calls fail while the server is away; on a hard one they wait. When it is back, a look
# at the file settles what an interrupted change in place left; leftovers go with the next run.
GIVEN_UP = f"""
fresh 0; began=$(date +%s%N); $run || echo "code $?"; judge 0 $out; long=$(($(date +%s%N) - began))
for i in $(seq $rounds); do
  fresh $i
  $run 2>$host/said & job=$!
  nap $((RANDOM * long / 32768))
  nfs-stop
  wait $job; code=$?
  nfs-start
  # Its own clients may have been told of errors by then, but the server answers.
  until ls $NFS/$i >/dev/null 2>&1; do sleep 0.2; done
  case $code in
    0) judge $i $out ;;
    1)
      echo refused
      [ $(wc -l <$host/said) = 1 ] || cat $host/said
      sed "s/^/said: /" $host/said >&2
      [ $out != {SOURCE} ] || {PROGRAM} ls $out >/dev/null
      is_right $i $out || is_old $i $out || echo wrong
      $run; judge $i $out
      ;;
    *) echo "code $code" ;;
  esac
done
"""


@pytest.mark.long
@pytest.mark.parametrize("job", JOBS, ids=str)
@pytest.mark.parametrize("version", ["4.2", "3"])
def test_a_server_that_goes_away_is_a_clean_error(version, job, tmp_path):
    options = (f"--vers={version}", "--opts=soft,timeo=10,retrans=1")
    script = f"rounds={ROUNDS}\n{GIVEN_UP}"
    lines, err = on_nfs(job, tmp_path, script, *options, limit_s=(2 + ROUNDS) * (3 * ROUND_S))
    assert lines["good"] == ROUNDS + 1, f"{dict(lines)}\n{err}"
    assert set(lines) <= {"good", "refused"}, f"{dict(lines)}\n{err}"
    assert lines["refused"] > 0, "the server was away, and no run minded"
    said = re.findall("^said: (.*)", err, re.M)
    named = (SOURCE, job.output, "folder")
    assert all(any(word in line for word in named) for line in said), said


# Both give the same bytes, so one whole result is what either would leave. A refusal is 1 or 75.
PAIRS = """
for i in $(seq $rounds); do
  fresh $i
  (cd $NFS2/$i && nap $((RANDOM * 30000)) && $run 2>$host/other) & other=$!
  $run 2>$host/one; one=$?
  wait $other; other=$?
  case "$one $other" in
    "0 0") ;;
    "0 75" | "0 1" | "75 0" | "1 0") echo one was refused; cat $host/one $host/other >&2 ;;
    *) echo "codes $one $other"; cat $host/one $host/other >&2 ;;
  esac
  judge $i $out
done
"""


@pytest.mark.long
@pytest.mark.parametrize("job", JOBS, ids=str)
@pytest.mark.parametrize("mount", [("4.2", ""), ("3", ""), ("3", "nolock")], ids=str)
def test_two_hosts_and_one_output(mount, job, tmp_path):
    options = [f"--vers={mount[0]}", *([f"--opts={mount[1]}"] if mount[1] else [])]
    script = f"rounds={ROUNDS}\n{PAIRS}"
    lines, err = on_nfs(job, tmp_path, script, *options, limit_s=2 * ROUNDS * ROUND_S)
    assert lines["good"] == ROUNDS, f"{dict(lines)}\n{err}"
    assert set(lines) <= {"good", "one was refused"}, f"{dict(lines)}\n{err}"
