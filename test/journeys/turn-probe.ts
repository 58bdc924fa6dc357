// Loaded into a process of the platform (`--import`): measures the turns of its event loop between two SIGUSR2, in CPU time of its thread.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import inspector from 'node:inspector';
import { isMainThread } from 'node:worker_threads';
import type { MeasuredTurn } from './measured-turns.js';

const file = process.env.COUNTERSIGN_TEST_TURNS ?? '';
const SAMPLED_US = 500;
/** Shorter turns are not kept. */
const KEPT_MS = 5;

const cpuMs = (): number => Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
const nowUs = (): number => Number(process.hrtime.bigint() / 1000n);

interface Turn {
  cpu_ms: number;
  from_us: number;
  to_us: number;
}

/** The share of collections of garbage in the samples of a turn, and the function of ours in most of them. */
function explained(turn: Turn, profile: inspector.Profiler.Profile): MeasuredTurn {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const counts = new Map<string, number>();
  let at_us = profile.startTime;
  let all = 0;
  let collecting = 0;
  for (const [at, delta] of (profile.timeDeltas ?? []).entries()) {
    at_us += delta;
    const frame = nodes.get(profile.samples?.[at] ?? -1)?.callFrame;
    if (at_us < turn.from_us || at_us > turn.to_us || !frame || frame.functionName === '(idle)') continue;
    all++;
    if (frame.functionName === '(garbage collector)') collecting++;
    const name = `${frame.functionName} ${frame.url.split('/').slice(-3).join('/')}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 5);
  const own_ms = turn.cpu_ms * (all === 0 ? 1 : 1 - collecting / all);
  return { cpu_ms: turn.cpu_ms, own_ms, most: most.map(([name, times]) => `${name} ${times}/${all}`) };
}

class Probe {
  private readonly turns: Turn[] = [];
  private readonly session = new inspector.Session();
  private is_on = true;
  private cpu_ms = 0;
  private at_us = 0;

  constructor() {
    this.session.connect();
    this.session.post('Profiler.enable');
    this.session.post('Profiler.setSamplingInterval', { interval: SAMPLED_US });
    this.session.post('Profiler.start', () => this.next());
  }

  private next(): void {
    this.cpu_ms = cpuMs();
    this.at_us = nowUs();
    setTimeout(() => this.tick(), 1);
  }

  private tick(): void {
    if (!this.is_on) return;
    const turn = { cpu_ms: cpuMs() - this.cpu_ms, from_us: this.at_us, to_us: nowUs() };
    if (turn.cpu_ms >= KEPT_MS) this.turns.push(turn);
    this.next();
  }

  write(): void {
    this.is_on = false;
    this.session.post('Profiler.stop', (_fault, { profile }) => {
      writeFileSync(`${file}.new`, JSON.stringify(this.turns.map((turn) => explained(turn, profile))));
      renameSync(`${file}.new`, file);
      this.session.disconnect();
    });
  }
}

let probe: Probe | undefined;
if (isMainThread && file !== '')
  process.on('SIGUSR2', () => {
    if (!probe) probe = new Probe();
    else {
      probe.write();
      probe = undefined;
    }
  });
