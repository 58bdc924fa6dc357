import type { SagaCommand } from '../running/commands.js';
import { decideSaga } from '../running/decide.js';
import { type SagaEffect, sagaEffectsOf } from '../running/effects.js';
import { evolveSaga } from '../running/evolve.js';
import type { RunningSaga, SagaState } from '../running/state.js';

/** A state of a simulated saga with its effects. */
export interface SimulatedState {
  saga: RunningSaga;
  effects: readonly SagaEffect[];
  /** The states that commands led to, by their key. */
  next: Map<string, SimulatedState>;
}

/** Kept states, counted by their steps and waits. */
export const MEMORY_MAX = 100_000;

function decided(command: SagaCommand, before: SagaState): SimulatedState {
  const decision = decideSaga(command, before);
  if (decision.kind === 'refused' || decision.facts.length === 0)
    throw new Error(`simulated saga: ${command.kind} has no consequence: ${decision.kind === 'refused' ? decision.message : 'no facts'}`);
  const saga = decision.facts.reduce(evolveSaga, before) as RunningSaga;
  return { saga, effects: sagaEffectsOf(saga), next: new Map() };
}

/**
 * Runs the deciders of sagas, once for each state and command: they are pure, so a repeated decision is looked up. Two commands with
 * the same key must be equal.
 */
export class DecisionMemory {
  readonly start: SimulatedState;
  private weight = 0;

  /** `weight_max`: how much is kept; 0 where the time of a command is part of the decision. */
  constructor(
    start: SagaCommand,
    private readonly weight_max: number,
  ) {
    this.start = decided(start, undefined);
  }

  after(state: SimulatedState, key: string, command: SagaCommand): SimulatedState {
    const known = state.next.get(key);
    if (known) return known;
    const next = decided(command, state.saga);
    this.weight += 1 + next.saga.steps.size + next.saga.waits.size;
    if (this.weight <= this.weight_max) state.next.set(key, next);
    return next;
  }
}
