import type { components } from './generated/api.js';

type Schemas = components['schemas'];
export type SagaDefinition = Schemas['SagaDefinition'];
export type SagaBlock = Schemas['SagaBlock'];
export type SagaJoin = Schemas['SagaJoin'];
type Kind<K extends SagaBlock['kind']> = Extract<SagaBlock, { kind: K }>;
export type SagaStep = Kind<'step'>;

/** A pointer to the inputs of the saga, to the output of one of these steps, or to the item of a map. */
export type SagaPointer<Names extends string = string> =
  | `/${'inputs' | 'item'}${'' | `/${string}`}`
  | '/index'
  | `/steps/${Names}/output${'' | `/${string}`}`;

/** Where a value comes from. */
export type SagaValue<Names extends string = string> = { from: SagaPointer<Names> } | { literal: unknown } | { expression: string };

/** One tool with its inputs; `version` is `1.2.3`, `^1.2.3` or `~1.2.3`. */
export interface SagaUse<Names extends string = string> {
  tool: string;
  version: string;
  inputs: Record<string, SagaValue<Names>>;
  /** 99 % of its calls end in this time, in milliseconds. Default: the p99 of the tool's contract. */
  p99_ms?: number;
  /** Price of a call, in a unit of your own. */
  cost?: number;
  /** Share of its answers that are right, 0 to 1. Lowers the confidence of an answer. */
  accuracy?: number;
  /** Share of its calls that end with an answer, 0 to 1. */
  availability?: number;
}

/** What of a step is not its name and its tool. */
export interface SagaStepOptions<Names extends string = string, Own extends string = string> {
  /** Tried in this order after a failure without an effect. */
  fallbacks?: SagaUse<Names>[];
  /** The last level: what a person must do. */
  manual?: string;
  /** CEL: the step is skipped where it is false. */
  when?: string;
  /** Replaces the tool's own compensation; it may read the output of the step itself. */
  compensation?: SagaUse<Names | Own>;
  /** A person approves it first. */
  asks?: boolean;
  /** A read that fails validation or answers empty is called again with repaired inputs. */
  repair?: boolean;
}

export const from = <P extends SagaPointer>(pointer: P): { from: P } => ({ from: pointer });
export const literal = (value: unknown): { literal: unknown } => ({ literal: value });
/** JSONata; its type is checked only when it runs. */
export const expression = (text: string): { expression: string } => ({ expression: text });

export const all: SagaJoin = { kind: 'all' };
export const quorum = (count: number): SagaJoin => ({ kind: 'quorum', count });
export const first_success: SagaJoin = { kind: 'first_success' };

export const step = (name: string, use: SagaUse, options: SagaStepOptions = {}): SagaStep => ({ kind: 'step', name, use, ...options });
export const sequence = (...blocks: SagaBlock[]): Kind<'sequence'> => ({ kind: 'sequence', blocks });
export const parallel = (join: SagaJoin, ...branches: SagaBlock[]): Kind<'parallel'> => ({ kind: 'parallel', join, branches });

/** The first choice whose condition (CEL) is true runs; else `otherwise`; else nothing. */
export const branch = (name: string, choices: { when: string; block: SagaBlock }[], otherwise?: SagaBlock): Kind<'branch'> => ({
  ...{ kind: 'branch', name, choices },
  ...(otherwise ? { otherwise } : {}),
});

/** Runs `body` for each item of a list, one item at a time unless `concurrency` says more. */
export const map = (
  name: string,
  over: SagaValue,
  body: SagaBlock,
  { concurrency = 1, join = all }: { concurrency?: number; join?: SagaJoin } = {},
): Kind<'map'> => ({ kind: 'map', name, over, concurrency, join, body });

type WaitEnd = { timeout_ms: number; on_timeout?: 'fail' | 'continue' };
/** `answer_schema`: JSON Schema of the answer, which later steps read like the output of a step. */
type AnsweredWait = WaitEnd & { answer_schema?: Record<string, unknown> };

/** Waits until a person answers the question. */
export const waitForApproval = (name: string, subject: string, { on_timeout = 'fail', ...end }: AnsweredWait): Kind<'wait'> => ({
  ...{ kind: 'wait', name, wait: 'approval', subject, on_timeout, ...end },
});
/** Waits for the event of this name. */
export const waitForEvent = (name: string, subject: string, { on_timeout = 'fail', ...end }: AnsweredWait): Kind<'wait'> => ({
  ...{ kind: 'wait', name, wait: 'event', subject, on_timeout, ...end },
});
export const waitFor = (name: string, timeout_ms: number): Kind<'wait'> => ({
  ...{ kind: 'wait', name, wait: 'time', timeout_ms, on_timeout: 'continue' },
});
