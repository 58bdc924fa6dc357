import type { ContractTestOptions, EvalPacks, Golden, ResourceStates } from '@countersign/tool-kit/eval-pack';
import { goldens } from './goldens.js';
import { ScratchLedger } from './scratch-ledger.js';
import { statesOn } from './states.js';

const ledger = new ScratchLedger();
const states: Record<string, ResourceStates[]> = statesOn(ledger);

const evalOf = (name: string, golden: [Golden, ...Golden[]]): ContractTestOptions => ({
  golden,
  counterpart: ledger.counterpart,
  generated_runs: 12,
  // Numbers that the ledger gave.
  volatile: [/(?<=\b(so|po|mo|bill|prop)_)\d+/g],
  ...(states[name] && { states: states[name] }),
});

/** The eval packs of this pack's tools, on a scratch ledger. */
export const evals: EvalPacks = Object.fromEntries(Object.entries(goldens).map(([name, golden]) => [name, evalOf(name, golden)]));
