import { expect, test } from 'vitest';
import { SimulatedSaga } from '../../testing/sagas/simulated-saga.js';
import { evolveSaga, evolveSagaBy, replaySaga } from './evolve.js';
import type { RunningSaga, SagaState } from './state.js';
import { sagaStateText } from './state-text.js';

const SEEDS = 15;
const textOf = (saga: SagaState): string => sagaStateText(saga as RunningSaga);
const parsedOf = (saga: SagaState): unknown => JSON.parse(textOf(saga));

test(`a record never changes the state that it is folded into, however the states share their steps (${SEEDS} seeds)`, () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { log } = new SimulatedSaga(seed).run(120);
    const states: SagaState[] = [];
    const texts: string[] = [];
    let state: SagaState;
    for (const fact of log) {
      state = evolveSaga(state, fact);
      states.push(state);
      texts.push(textOf(state));
    }
    expect(states.map(textOf)).toEqual(texts);
  }
});

test(`records that are folded one by one, in parts or all at once give the same state (${SEEDS} seeds)`, () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { log } = new SimulatedSaga(seed).run(120);
    let parts: SagaState;
    for (let at = 0; at < log.length; at += 3) parts = evolveSagaBy(parts, log.slice(at, at + 3));
    expect(parsedOf(parts)).toEqual(parsedOf(replaySaga(log)));
    expect(parsedOf(log.reduce(evolveSaga, undefined as SagaState))).toEqual(parsedOf(parts));
  }
});
