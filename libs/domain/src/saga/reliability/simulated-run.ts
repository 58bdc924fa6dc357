import { type Run, type RunningSaga, runOf } from '../running/state.js';
import type { DecisionMemory, SimulatedState } from './decision-memory.js';
import type { Outcome } from './random-outcomes.js';
import type { SimulatedAnswer, SimulatedWorld } from './simulated-world.js';

/** How one simulated run ended. */
export interface RunEnd {
  completed: boolean;
  /** A person did a step by hand. */
  by_person: boolean;
  /** It stopped in doubt at least once. */
  in_doubt: boolean;
  /** Without the time of people, events and compensations. */
  duration_ms: number;
}

interface Pending {
  at_ms: number;
  answer: (now_ms: number) => SimulatedAnswer;
}

/**
 * One run of a saga through the real deciders, without crashes, repeats or reordering. Effects that take no time are answered first, then the
 * earliest end of a call; doubts are resolved and people answer when nothing else is left.
 */
export class SimulatedRun {
  private state: SimulatedState;
  private now_ms = 0;
  private by_person = false;
  private in_doubt = false;
  /** Ends of calls by call id, and of waits for a time by step id. */
  private readonly pending = new Map<string, Pending>();
  private readonly begun = new Set<string>();

  /** `is_timed`: commands have the time of the run; else they have the time 0, so that equal decisions can be looked up. */
  constructor(
    private readonly memory: DecisionMemory,
    private readonly world: SimulatedWorld,
    private readonly is_timed: boolean,
  ) {
    this.state = memory.start;
  }

  run(): RunEnd {
    while (!this.state.saga.ended) {
      const { key, command } = this.next();
      this.state = this.memory.after(this.state, key, command);
    }
    const completed = this.state.saga.ended === 'completed';
    return { completed, by_person: this.by_person, in_doubt: this.in_doubt, duration_ms: this.now_ms };
  }

  private time(): number {
    return this.is_timed ? Math.ceil(this.now_ms) : 0;
  }

  private next(): SimulatedAnswer {
    for (const effect of this.state.effects) {
      const answer = this.world.atOnce(effect, this.time());
      if (answer) return answer;
      if (effect.kind === 'call') this.begin(effect.run);
      else if (effect.kind === 'cancel_call') this.cancel(effect.call_id);
    }
    this.beginWaits(this.state.saga);
    return this.earliest() ?? this.lastResort();
  }

  private begin(run: Run): void {
    if (this.begun.has(run.call_id)) return;
    this.begun.add(run.call_id);
    const { outcome, duration_ms } = this.world.called(run);
    this.schedule(run.call_id, duration_ms, (now_ms) => this.ended(run, outcome, now_ms));
  }

  /** A cancellation arrives at once and before the effect. */
  private cancel(call_id: string): void {
    const run = runOf(this.state.saga, call_id) as Run;
    this.schedule(call_id, 0, (now_ms) => this.ended(run, 'cancelled', now_ms));
  }

  private ended(run: Run, outcome: Outcome | 'cancelled', now_ms: number): SimulatedAnswer {
    if (outcome === 'in_doubt') this.in_doubt = true;
    return this.world.ended(run, outcome, now_ms);
  }

  private beginWaits({ waits }: RunningSaga): void {
    for (const [step_id, { wait, end, until_ms }] of waits) {
      if (end !== null) this.pending.delete(step_id);
      if (wait !== 'time' || end !== null || this.begun.has(step_id)) continue;
      this.begun.add(step_id);
      const command = { kind: 'timer', now_ms: until_ms } as const;
      this.schedule(step_id, this.world.timeoutOf(step_id), () => ({ key: `timer ${step_id}`, command }));
    }
  }

  private schedule(id: string, after_ms: number, answer: Pending['answer']): void {
    this.pending.set(id, { at_ms: this.now_ms + after_ms, answer });
  }

  private earliest(): SimulatedAnswer | undefined {
    let first: { id: string; due: Pending } | undefined;
    for (const [id, due] of this.pending) if (!first || due.at_ms < first.due.at_ms) first = { id, due };
    if (!first) return undefined;
    this.pending.delete(first.id);
    this.now_ms = first.due.at_ms;
    return first.due.answer(this.time());
  }

  private lastResort(): SimulatedAnswer {
    const { effects, saga } = this.state;
    const doubt = effects.find((effect) => effect.kind === 'follow');
    if (doubt?.kind === 'follow') return this.world.resolved(doubt.call_id, this.time());
    const task = effects.find((effect) => effect.kind === 'await');
    if (task?.kind !== 'await') throw new Error(`simulated saga: nothing is left to wait for after ${saga.seq} records`);
    this.by_person = true;
    return this.world.answers(task.step_id, false, this.time());
  }
}
