import type fc from 'fast-check';
import type { RunContext } from './tool.js';

/** One input that the tool must answer with an output of its schema. */
export interface Golden {
  title: string;
  input: Record<string, unknown>;
  /** What the output must hold at least. */
  output?: Record<string, unknown>;
  /** A look at the output, with expectations of its own. */
  expects?(output: unknown): void | Promise<void>;
}

/** The system that a tool acts on, as far as its checks need it. */
export interface Counterpart {
  /** Makes it anew; runs before each check. */
  prepare?(): Promise<void>;
  /** Removes it; safe to run twice. */
  clean?(): Promise<void>;
  /** The tool's settings for it. */
  settings?(): Record<string, string>;
  /** Everything that the tool could change, as a comparable value. Required for read-only tools, and to compensate, verify or take a key. */
  snapshot?(): Promise<unknown>;
  /**
   * Why all tenants reach one and the same counterpart (for example a public web server). Absent: what is in it belongs to
   * the tenant of the options' context (`test`), and the checks try to get at it as another tenant; `snapshot` then tells
   * of that tenant's things only.
   */
  readonly common?: string;
}

/**
 * Two writes on one resource, which show that the contract says rightly whether `a` replaces or adds. `replaces`: a, b, a ends as a alone
 * does. `adds`: a and b leave more than b alone does.
 */
export interface ResourceStates {
  title: string;
  a: Record<string, unknown>;
  /** Another input of the tool; or a change at the counterpart, which stands for the write of another tool on the same resource. */
  b: Record<string, unknown> | (() => Promise<void>);
}

/** What `contractTests` and `npm run tools:verify` need to know to check one tool: its eval pack. */
export interface ContractTestOptions {
  golden: readonly [Golden, ...Golden[]];
  counterpart?: Counterpart;
  context?: Partial<RunContext>;
  /** Generated inputs to try; default 50. */
  generated_runs?: number;
  /** Narrows what is generated, to inputs that reach the tool's inside. */
  generated?(arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown>;
  /** An input whose run would outlive an abort if the tool did not listen to its signal. */
  slow?: Record<string, unknown>;
  /** An input whose honest answer would be larger than `max_output_bytes`; the tool must cut or refuse it. */
  large?: Record<string, unknown>;
  /** Of a write that declares resources: at least one pair for each effect that it declares. They need a counterpart with `snapshot`. */
  states?: readonly ResourceStates[];
  /** Global patterns of what may differ between two runs in equal worlds: times, ids that a system draws, names of scratch folders. */
  volatile?: readonly RegExp[];
}

/** The eval packs of a pack's tools by the tool's name: what its `evals.ts` exports as `evals`. */
export type EvalPacks = Readonly<Record<string, ContractTestOptions>>;

/** What came of one eval pack, as `packs/<pack>/eval/<tool>@<version>.json` keeps it and the registry stores it with the version. */
export interface EvalResult {
  tool: string;
  version: string;
  /** SHA-256 of the contract that was checked; a version is only proven by a result with its own digest. */
  contract_digest: string;
  passed: number;
  failed: number;
  cases: { title: string; passed: boolean; message?: string }[];
  /** ISO time. */
  verified_at: string;
}
