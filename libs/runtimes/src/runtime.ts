import type { SanitySeverity, ToolContract } from '@countersign/contracts';
import type { Compensates, Pack, Reconciled, RunContext, Tool, Verified } from '@countersign/tool-kit';
import type { ProcessIdentity } from './process-identity.js';

/** One request to a tool: its input and context. Its signal is `context.signal`, created on first use. */
export interface ToolJob {
  /** `name@version`. */
  readonly tool: string;
  readonly input: unknown;
  readonly context: RunContext;
  /** Must not begin after this, by the clock of the machine (`machineMs`). Absent: no limit. */
  readonly begin_before_ms?: number;
  /** The process recorded for it: it runs there or not at all. Null: none could be named. Absent: any process. */
  readonly place?: ProcessIdentity | null;
}

export const ASKS = ['compensate', 'reconcile', 'verify', 'sourceVersion', 'changedNothing', 'sanity'] as const;

/** Functions of a tool besides `run`. */
export type Ask = (typeof ASKS)[number];

/** A tool of a loaded pack. */
export interface RuntimeTool {
  readonly contract: ToolContract;
  readonly asks: ReadonlySet<Ask>;
}

/** A pack as loaded by its runtime. */
export interface RuntimePack extends Omit<Pack, 'tools'> {
  readonly tools: readonly RuntimeTool[];
}

/** An implausible part of an output that fits its schema. */
export interface Implausible {
  path: string;
  message: string;
  predicate: string;
  severity: SanitySeverity;
}

/**
 * Runs the tools of one pack. The executor knows only this interface: whether the tools share the process, run in a child process or are
 * called remotely is internal to the runtime. A function is requested only of a tool whose `asks` names it, and a runtime implements
 * every function that its tools name. Exceptions and rejections of a tool are passed on unchanged.
 */
export interface Runtime {
  /** The tools of the pack; called once, before everything else. */
  load(): Promise<RuntimePack>;
  /** The effect or the result as the tool returned it, unchecked. */
  run(job: ToolJob): Promise<unknown>;
  /** Undoes the effect of an earlier run. The job has the input of that effect. */
  compensate?(job: ToolJob, compensates: Compensates): Promise<unknown>;
  reconcile?(job: ToolJob): Promise<Reconciled<unknown>>;
  verify?(job: ToolJob, output: unknown): Promise<Verified>;
  sourceVersion?(job: ToolJob): Promise<string>;
  /** A throw counts as false. */
  changedNothing?(job: ToolJob, output: unknown): boolean | Promise<boolean>;
  /** The failed predicates of the tool. Never throws. */
  sanity?(job: ToolJob, output: unknown): Implausible[] | Promise<Implausible[]>;
  /**
   * The process that will run the next call of this tenant. Absent: the tools run in the caller's process.
   * @throws ToolError (effect `none`) if there is none
   */
  place?(tenant_id: string): Promise<ProcessIdentity>;
  /** Why its pack cannot be used, according to the last observation; undefined: no fault is known. */
  readonly unhealthy?: string | undefined;
  /** Accepts no further call, lets the running ones end, and closes then. Absent: there is nothing to wait for. */
  retire?(): Promise<void>;
  close(): Promise<void>;
}

/** The id by which a tool is run. */
export const toolId = ({ name, version }: Pick<ToolContract, 'name' | 'version'>): string => `${name}@${version}`;

/** The functions of a tool that runs elsewhere, by what its contract declares. */
export function declaredAsks({ has_reconcile, has_compensate, has_verify }: ToolContract): ReadonlySet<Ask> {
  const asks = new Set<Ask>();
  if (has_reconcile) asks.add('reconcile');
  if (has_compensate) asks.add('compensate');
  if (has_verify) asks.add('verify');
  return asks;
}

/** The functions of a loaded tool. */
export function asksOf(tool: Tool): ReadonlySet<Ask> {
  return new Set(ASKS.filter((ask) => (ask === 'sanity' ? (tool.sanity?.length ?? 0) > 0 : tool[ask] !== undefined)));
}
