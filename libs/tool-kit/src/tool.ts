import type {
  ApprovalMode,
  EffectClass,
  JsonSchema,
  Principal,
  ResourceTemplate,
  Reversibility,
  SanitySeverity,
  Tier,
  ToolContract,
  ToolRecord,
} from '@countersign/contracts';
import type { PatternSearch } from './pattern-search/pattern-search.js';

/** The context of a run. Nothing in it outlives the run; a tool keeps no state of its own. */
export interface RunContext {
  readonly tenant_id: string;
  readonly principal: Pick<Principal, 'kind' | 'id'>;
  /** Markings that the caller may see, from its credential at admission; `*` means all. */
  readonly clearances: readonly string[];
  readonly call_id: string;
  readonly case_id: string | null;
  readonly run_id: string | null;
  /**
   * The key of this attempt: the same for every run that is to cause one effect, and a different one if the effect is wanted again. Pass
   * it to the system that you act on, and store receipts, trash and undo data under it.
   */
  readonly idempotency_key: string;
  /** Epoch ms after which the result is ignored. */
  readonly deadline_ms: number;
  /** Epoch ms at which this attempt was last sent to its system; `reconcile` judges by it how old a lost answer is. Absent: unknown. */
  readonly fired_at_ms?: number | undefined;
  /** The inputs as the agent sent them, if a mapping of the tenant made the inputs that run. Absent: they are the inputs that run. */
  readonly requested?: unknown;
  /** Aborted at the deadline, on cancel and when the executor loses its lease: close connections then. */
  readonly signal: AbortSignal;
  /** Settings that the operator gave to this pack. Never secrets, and never a folder: use `tenantFolder` for that. */
  readonly settings: Readonly<Record<string, string>>;
  /**
   * The folder of this run's tenant in a folder setting of the pack, as a real path, created if missing. No other tenant can access it or
   * anything below it, unless the operator lets all tenants share the setting. Everything that a tool stores on the disk (files,
   * receipts, trash) belongs there.
   * @param variable the folder setting, as the pack declares it
   * @throws ToolError (effect `none`) if this tenant has none; pass it on unchanged
   */
  tenantFolder(variable: string): Promise<string>;
  /** The folder of that setting that the operator provides for all tenants. Read-only; it may be missing. */
  commonFolder(variable: string): Promise<string>;
  /** The secrets that the contract names in `auth_requirements`. */
  readonly secrets: SecretSource;
  /** Searches for patterns of callers, in separate threads. A tool never passes a caller's pattern to `RegExp`. */
  readonly patterns: PatternSearch;
  log(message: string, fields?: Record<string, unknown>): void;
  /** Reports the progress of the run: `fraction` from 0 to 1. A hint; some reports are dropped if they arrive fast. */
  progress(fraction: number, message?: string): void;
  /** Stores a large blob beside the output. @returns its location; the envelope lists it. @throws ToolError if it cannot be stored. */
  attach(blob: ToolBlob): Promise<ToolAttachment>;
}

/** Secrets by name, resolved for the caller on use; never store or log them or put them into an output. */
export interface SecretSource {
  /** @throws ToolError AUTH_REQUIRED if the tool did not declare the name or no value is set. */
  get(name: string): Promise<string>;
}

/** A blob to store beside the output. */
export interface ToolBlob {
  kind: 'blob' | 'image' | 'table';
  content_type: string;
  data: Uint8Array | string;
}

/** The location of a stored blob, as the envelope lists it. */
export interface ToolAttachment {
  kind: ToolBlob['kind'];
  url: string;
  content_type: string;
  bytes: number;
}

/**
 * The result of reading back the reported effect of a run. A `remark` says what people should know although the effect exists, for example
 * that its record was edited: it is recorded with the warnings of the call.
 */
export type Verified = { kind: 'verified'; remark?: string } | { kind: 'contradicted'; why: string } | { kind: 'cannot_tell'; why: string };

/** A condition between each input and its output, whatever the schema allows. Pure and fast; a throw counts as false. */
export interface SanityPredicate<I, O> {
  name: string;
  severity: SanitySeverity;
  holds(input: I, output: O): boolean;
}

/** Marks a definition as deprecated; the compiler marks every use of it. */
export interface Deprecation {
  /** ISO date. */
  since: string;
  /** ISO date from which it may be removed. */
  sunset_at?: string;
  /** The replacement, `name@version`. */
  use?: string;
}

/** The result of reconcile for a write whose response was lost. */
export type Reconciled<O> = { kind: 'happened'; output: O } | { kind: 'did_not_happen' } | { kind: 'cannot_tell'; why: string };

/** The effect that `compensate` undoes. */
export interface Compensates<I = unknown, O = unknown> {
  call_id: string;
  /** The key of its run: receipts, trash and records of the effect are under it. `ctx.idempotency_key` is that of the compensation. */
  idempotency_key: string;
  /** The inputs that ran: after an approver's edit, and mapped if the tenant has a mapping. */
  inputs: I;
  /** The complete output of the run, even if callers received it shortened. */
  output: O;
  /** Exact semver of the tool that ran. */
  version: string;
}

/** A tool as the executor runs it: its contract, and functions over validated JSON. */
export interface Tool {
  readonly contract: ToolContract;
  /**
   * Causes the effect or computes the result. Runs on the main thread of its process: it must not block the thread, because nothing can
   * abort an endless loop or a synchronous wait, and it must await every promise that it creates, because an unhandled rejection ends the
   * process. Long computations belong in a worker thread that `ctx.signal` ends.
   */
  run(input: never, ctx: RunContext): Promise<unknown>;
  /** Queries the system of record for the effect of this key. */
  reconcile?(input: never, ctx: RunContext): Promise<Reconciled<unknown>>;
  /** Undoes the effect of a run. */
  compensate?(compensates: Compensates<never, never>, ctx: RunContext): Promise<unknown>;
  /** For a write: whether this output says that there was nothing to change. Its effect is then `none`. A throw counts as false. */
  changedNothing?(output: never): boolean;
  /** Reads the effect of a run back from its system. Changes nothing. */
  verify?(input: never, output: never, ctx: RunContext): Promise<Verified>;
  /** Version of the source of a cached result: if it has changed, equal calls of the same principal run again. Cheap; changes nothing. */
  sourceVersion?(input: never, ctx: RunContext): Promise<string>;
  /** The conditions that the executor checks on each output, in this order. */
  readonly sanity?: readonly SanityPredicate<never, never>[];
  readonly deprecated?: Deprecation;
}

/** A named set of tools, loaded if `COUNTERSIGN_PACKS` names it. */
export interface Pack {
  readonly name: string;
  /** Version of the code that runs the tools: environments may be pinned to it. */
  readonly version?: string;
  /** Folder of the results of `npm run tools:verify`, one `<tool>@<version>.json` each. Absent: tools for tests, which have no gate. */
  readonly evaluations?: URL;
  readonly tools: readonly Tool[];
  /** Names of environment variables that become `ctx.settings`, with their defaults. */
  readonly settings?: Readonly<Record<string, string | undefined>>;
  /** Settings that name folders: created and tested when the executor starts. A run gets its tenant's folder in each. */
  readonly folders?: readonly PackFolder[];
}

/** A setting of a pack that names a folder. */
export interface PackFolder {
  variable: string;
  /** The variable (true or false, default false) with which the operator lets all tenants share it. Absent: it cannot be shared. */
  sharing?: string;
}

/** An author's declarations; `defineTool` turns them into a `Tool`. Schemas are zod 4 or JSON Schema 2020-12. */
export interface ToolTraits extends Omit<ToolRecord, 'has_verify' | 'sanity'> {
  name: string;
  version: string;
  title: string;
  description: string;
  category: string;
  effect_class: EffectClass;
  reversibility?: Reversibility;
  idempotency?: { discriminating: string[]; window_ms?: number } | { except: string[]; window_ms?: number };
  /**
   * The resources of the write, so that its result is returned again only as long as its effect lasts: `[{name: 'file:{/path}', effect:
   * 'replaces'}]`. Absent: it can name none, and its result belongs to its own request alone.
   */
  resources?: ResourceTemplate[];
  takes_key?: boolean;
  timeout_ms?: number;
  settle_ms?: number;
  settle_is_final?: boolean;
  /** How long after its end an effect can be undone, for a tool that keeps what it needs for that only so long. Absent: without a limit. */
  undo_within_ms?: number;
  max_output_bytes?: number;
  tier?: Tier;
  markings?: string[];
  scopes?: string[];
  deprecated?: Deprecation;
}

export type { ApprovalMode, JsonSchema, ResourceTemplate };
