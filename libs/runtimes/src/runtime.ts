import type { SanitySeverity, ToolContract } from '@countersign/contracts';
import type { Compensates, Pack, Reconciled, RunContext, Tool, Verified } from '@countersign/tool-kit';
import type { ProcessIdentity } from './process-identity.js';

/** One request to a tool: its input and context. Its signal is `context.signal`, created on first use. */
export interface ToolJob {
  /** `name@version`. */
  readonly tool: string;
  readonly input: unknown;
  readonly context: RunContext;
  /** It is not begun after this, by the clock of the machine (`machineMs`). Absent: whenever. */
  readonly begin_before_ms?: number;
  /** The process that is on record for it: it runs there or not at all. Null: none could be named. Absent: anywhere. */
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

/** A pack as its runtime has loaded it. */
export interface RuntimePack extends Omit<Pack, 'tools'> {
  readonly tools: readonly RuntimeTool[];
}

/** Something implausible about an output that fits its schema. */
export interface Implausible {
  path: string;
  message: string;
  predicate: string;
  severity: SanitySeverity;
}

/**
 * Where the tools of one pack run. Whoever runs tools knows only this: whether their code shares the process, has a child
 * process or is spoken to over a wire is the runtime's own affair. A question is asked only of a tool whose `asks` names it,
 * and a runtime has the method of each that its tools name. What a tool throws or rejects with is passed on as it is.
 */
export interface Runtime {
  /** The tools of the pack; called once, before anything else. */
  load(): Promise<RuntimePack>;
  /** The effect or the answer, as the tool gave it: nothing of it has been checked. */
  run(job: ToolJob): Promise<unknown>;
  /** Undoes the effect of an earlier run. The input of the job is that of the effect. */
  compensate?(job: ToolJob, compensates: Compensates): Promise<unknown>;
  reconcile?(job: ToolJob): Promise<Reconciled<unknown>>;
  verify?(job: ToolJob, output: unknown): Promise<Verified>;
  sourceVersion?(job: ToolJob): Promise<string>;
  /** A throw counts as false. */
  changedNothing?(job: ToolJob, output: unknown): boolean | Promise<boolean>;
  /** What the predicates of the tool doubt. Never throws. */
  sanity?(job: ToolJob, output: unknown): Implausible[] | Promise<Implausible[]>;
  /**
   * The process that the next run of this tenant will have. Absent: its code runs in the process of whoever asks.
   * @throws ToolError (effect `none`) where there is none
   */
  place?(tenant_id: string): Promise<ProcessIdentity>;
  /** Why its pack cannot be used, as it was seen last; undefined: nothing is known against it. */
  readonly unhealthy?: string | undefined;
  close(): Promise<void>;
}

/** What a tool is run by. */
export const toolId = ({ name, version }: Pick<ToolContract, 'name' | 'version'>): string => `${name}@${version}`;

/** The functions of a loaded tool. */
export function asksOf(tool: Tool): ReadonlySet<Ask> {
  return new Set(ASKS.filter((ask) => (ask === 'sanity' ? (tool.sanity?.length ?? 0) > 0 : tool[ask] !== undefined)));
}
