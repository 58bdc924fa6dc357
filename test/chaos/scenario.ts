import type { Counterparty } from '../tools/counterparty/counterparty.js';
import type { Orders, Verdict } from './orders.js';
import type { SagaOrders, SagaVerdict } from './saga-orders.js';
import type { ChaosTarget } from './target.js';

/** The amount of everything: at PR size, or nightly. Without a failure in N, at most 3/N fail with 95 % confidence. */
export interface ChaosSize {
  calls: number;
  kill_every_ms: number;
  /** Minimum number, spread over the calls: sending waits for them. */
  kills: number;
  crash_rounds: number;
  /** On Kafka a service takes ten times as long to die and come back. */
  crash_rounds_kafka: number;
  zombies: number;
  duplicates: number;
  offset_resets: number;
  lost_answers: number;
}

export const sizes: Readonly<Record<'pr' | 'nightly', ChaosSize>> = {
  pr: {
    calls: 300,
    kill_every_ms: 5000,
    kills: 2,
    crash_rounds: 5,
    crash_rounds_kafka: 2,
    zombies: 5,
    duplicates: 500,
    offset_resets: 1,
    lost_answers: 20,
  },
  nightly: {
    calls: 10_000,
    kill_every_ms: 3000,
    kills: 1000,
    crash_rounds: 200,
    crash_rounds_kafka: 200,
    zombies: 300,
    duplicates: 50_000,
    offset_resets: 20,
    lost_answers: 1000,
  },
};

export interface ScenarioContext {
  target: ChaosTarget;
  counterparty: Counterparty;
  orders: Orders;
  sagas: SagaOrders;
  size: ChaosSize;
  random: () => number;
  say(line: string): void;
}

export interface Scenario {
  name: string;
  /**
   * The invariants to hold, by name. I1: at most one effect for each key, and one if the call is `succeeded`. I2: every accepted call is
   * on the log and ends. I3: one key with one set of identifying inputs has one result; with others it is a 422. I5: one end for each
   * call, and doubt is `in_doubt`. I11: delayed work is done 60 s after the last fault, and enough calls succeed. I12: a stale epoch
   * neither runs nor records.
   */
  invariants: string;
  /** Injects its faults, and returns its counts besides the verdict on the orders. */
  run(context: ScenarioContext): Promise<Record<string, number>>;
  /** Additional faults that the scenario finds in the verdict. */
  judge?(verdict: Verdict, counted: Record<string, number>, size: ChaosSize, mode: ChaosTarget['mode']): string[];
}

/** If nearly every order fails, the other invariants hold trivially. */
export function tooFewSucceeded({ succeeded, orders }: Verdict, share: number): string[] {
  return succeeded < orders * share ? [`I11: only ${succeeded} of ${orders} orders succeeded`] : [];
}

/** What holds for the sagas of every scenario: their own faults, and enough that completed. */
export function sagaFaults({ sagas, completed, faults }: SagaVerdict): string[] {
  return completed < sagas / 10 ? [...faults, `I11: only ${completed} of ${sagas} sagas completed`] : faults;
}
