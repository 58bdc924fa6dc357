import { type Block, needed, type StepBlock } from '../definition/definition.js';
import { type ChainRates, choiceShares, itemsOf, type LevelRates } from './rates.js';

/** The probabilities that a block completes and that it fails. What is missing to 1 counts as neither, for example a doubt. */
export interface Odds {
  completes: number;
  fails: number;
}

/** How the odds of a block are counted. */
export interface Counting {
  level(rates: LevelRates): Odds;
  /** The number of levels that are tried. */
  levels_max: number;
  /** A person completes what all levels failed to do. */
  has_people: boolean;
}

/** One after another: a later one starts only if the earlier ones completed. */
function inSequence(all: readonly Odds[]): Odds {
  const sum: Odds = { completes: 1, fails: 0 };
  for (const { completes, fails } of all) {
    sum.fails += sum.completes * fails;
    sum.completes *= completes;
  }
  return sum;
}

function ofStep(block: StepBlock, rates: ChainRates, counting: Counting): Odds {
  const sum: Odds = { completes: 0, fails: 1 };
  for (const level of (rates.levels.get(block.name) ?? []).slice(0, counting.levels_max)) {
    const { completes, fails } = counting.level(level);
    sum.completes += sum.fails * completes;
    sum.fails *= fails;
  }
  return counting.has_people && block.manual !== undefined ? { completes: sum.completes + sum.fails, fails: 0 } : sum;
}

/** At least `need` of these complete. They are independent, and none is neither completed nor failed. */
function atLeast(need: number, all: readonly Odds[]): Odds {
  // by_count[n]: n of those seen so far completed. `need` and more are counted together.
  const by_count = [1, ...new Array<number>(need).fill(0)];
  for (const { completes, fails } of all) {
    by_count[need] = (by_count[need] as number) * (completes + fails) + (need > 0 ? (by_count[need - 1] as number) * completes : 0);
    for (let n = need - 1; n >= 0; n--)
      by_count[n] = (by_count[n] as number) * fails + (n > 0 ? (by_count[n - 1] as number) * completes : 0);
  }
  return { completes: by_count[need] as number, fails: by_count.slice(0, need).reduce((sum, share) => sum + share, 0) };
}

function ofBranch(block: Block & { kind: 'branch' }, rates: ChainRates, counting: Counting): Odds {
  const shares = choiceShares(block, rates);
  const nothing: Odds = { completes: 1, fails: 0 };
  const odds = [...block.choices.map((choice) => choice.block), block.otherwise].map((each) =>
    each ? oddsOf(each, rates, counting) : nothing,
  );
  const mean = (of: keyof Odds) => odds.reduce((sum, each, at) => sum + (shares[at] as number) * each[of], 0);
  return { completes: mean('completes'), fails: mean('fails') };
}

export function oddsOf(block: Block, rates: ChainRates, counting: Counting): Odds {
  switch (block.kind) {
    case 'step':
      return ofStep(block, rates, counting);
    case 'sequence':
      return inSequence(block.blocks.map((each) => oddsOf(each, rates, counting)));
    case 'branch':
      return ofBranch(block, rates, counting);
    case 'parallel': {
      const all = block.branches.map((each) => oddsOf(each, rates, counting));
      return atLeast(needed(block.join, all.length), all);
    }
    case 'map': {
      const all = new Array<Odds>(itemsOf(block, rates)).fill(oddsOf(block.body, rates, counting));
      return atLeast(needed(block.join, all.length), all);
    }
    case 'wait': {
      const completes = block.wait === 'time' ? 1 : (rates.answered.get(block.name) ?? 1);
      return { completes, fails: 1 - completes };
    }
  }
}
