import type { SagaDefinition } from '../definition/definition.js';
import { type Counting, oddsOf } from './odds.js';
import type { ChainRates, LevelRates } from './rates.js';

/** The predicted ends of a saga, each a probability. Calls are independent. */
export interface SagaPrediction {
  /**
   * It completes without a person. In a sequence this is the product over the steps of 1 - (product over the levels of 1 - r), where
   * 1 - r is the share of failures without an effect: a doubt is a delay that ends well.
   */
  reliability: number;
  /** The same with the first level of each step only. */
  without_fallbacks: number;
  /**
   * It completes because a person did a step by hand. In a map that does not need all of its items a person may hold up items that would
   * have completed: more runs then complete by a person than predicted, and as many fewer without one.
   */
  by_person: number;
  /**
   * It stops in doubt at least once. Exact in a sequence. For blocks side by side it is the highest possible value: a branch that is dropped
   * early has no doubt.
   */
  in_doubt: number;
  /** `reliability` if no call in doubt had taken effect: each starts the next level. */
  reliability_at_worst: number;
}

const ALL = Number.POSITIVE_INFINITY;
const doubtsHappened = ({ failed }: LevelRates) => ({ completes: 1 - failed, fails: failed });
const doubtsFailed = ({ failed, in_doubt }: LevelRates) => ({ completes: 1 - failed - in_doubt, fails: failed + in_doubt });
const doubtsStop = ({ failed, in_doubt }: LevelRates) => ({ completes: 1 - failed - in_doubt, fails: failed });

const equation: Counting = { level: doubtsHappened, levels_max: ALL, has_people: false };

/** A probability: sums of shares may leave the range by a rounding error. */
const probability = (value: number): number => Math.min(1, Math.max(0, value));

/** Predicts how a saga ends. `ratesFaults` must be empty for these rates. */
export function predictSaga({ root }: SagaDefinition, rates: ChainRates): SagaPrediction {
  const completes = (counting: Partial<Counting>) => oddsOf(root, rates, { ...equation, ...counting }).completes;
  const undoubted = oddsOf(root, rates, { ...equation, level: doubtsStop, has_people: true });
  const reliability = completes({});
  return {
    reliability: probability(reliability),
    without_fallbacks: probability(completes({ levels_max: 1 })),
    by_person: probability(completes({ has_people: true }) - reliability),
    in_doubt: probability(1 - undoubted.completes - undoubted.fails),
    reliability_at_worst: probability(completes({ level: doubtsFailed })),
  };
}
