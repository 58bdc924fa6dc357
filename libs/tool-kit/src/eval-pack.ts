import type fc from 'fast-check';
import type { RunContext } from './tool.js';

/** One input for which the tool must return an output of its schema. */
export interface Golden {
  title: string;
  input: Record<string, unknown>;
  /** Fields that the output must contain at least. */
  output?: Record<string, unknown>;
  /** Further expectations about the output. */
  expects?(output: unknown): void | Promise<void>;
}

/** The system that a tool acts on, with the functions that the checks need. */
export interface Counterpart {
  /** Creates it anew; runs before each check. */
  prepare?(): Promise<void>;
  /** Removes it; safe to run twice. */
  clean?(): Promise<void>;
  /** The tool's settings for this counterpart. */
  settings?(): Record<string, string>;
  /** Everything that the tool could change, as a comparable value. Required for read-only tools, and for compensate, verify and keys. */
  snapshot?(): Promise<unknown>;
  /**
   * Why all tenants share this counterpart (for example a public web server). Absent: its content belongs to the tenant of the options'
   * context (`test`), the checks try to reach it as another tenant, and `snapshot` then covers only that tenant's content.
   */
  readonly common?: string;
}

/**
 * Two writes on one resource that test the declared effect of `a`. `replaces`: a, b, a leaves the same state as a alone. `adds`: a and b
 * leave more than b alone.
 */
export interface ResourceStates {
  title: string;
  a: Record<string, unknown>;
  /** Another input of the tool; or a change at the counterpart that represents the write of another tool on the same resource. */
  b: Record<string, unknown> | (() => Promise<void>);
}

/** The eval pack of one tool: what `contractTests` and `npm run tools:verify` need to check it. */
export interface ContractTestOptions {
  golden: readonly [Golden, ...Golden[]];
  counterpart?: Counterpart;
  context?: Partial<RunContext>;
  /** Number of generated inputs; default 50. */
  generated_runs?: number;
  /** Restricts generated inputs to those that pass the tool's own validation. */
  generated?(arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown>;
  /** An input whose run would outlive an abort if the tool ignored its signal. */
  slow?: Record<string, unknown>;
  /** An input whose complete output would exceed `max_output_bytes`; the tool must cut or refuse it. */
  large?: Record<string, unknown>;
  /** For a write that declares resources: at least one pair for each declared effect. They need a counterpart with `snapshot`. */
  states?: readonly ResourceStates[];
  /** Global patterns of values that may differ between two runs in equal worlds: times, ids of a system, names of scratch folders. */
  volatile?: readonly RegExp[];
}

/** The eval packs of a pack's tools by tool name: the export `evals` of its `evals.ts`. */
export type EvalPacks = Readonly<Record<string, ContractTestOptions>>;

/** The result of one eval pack, as stored in `packs/<pack>/eval/<tool>@<version>.json` and with the version in the registry. */
export interface EvalResult {
  tool: string;
  version: string;
  /** SHA-256 of the checked contract; a result is only valid for a version with this digest. */
  contract_digest: string;
  passed: number;
  failed: number;
  cases: { title: string; passed: boolean; message?: string }[];
  /** ISO time. */
  verified_at: string;
}
