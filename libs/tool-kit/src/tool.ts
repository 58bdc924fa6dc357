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

/** What a run gets. Nothing here outlives the run; a tool keeps no state of its own. */
export interface RunContext {
  readonly tenant_id: string;
  readonly principal: Pick<Principal, 'kind' | 'id'>;
  /** Markings that the caller may see, by its credential at admission; `*` stands for all. */
  readonly clearances: readonly string[];
  readonly call_id: string;
  readonly case_id: string | null;
  readonly run_id: string | null;
  /**
   * The key of this attempt: the same for every run that is to cause one effect, another one where the effect is wanted once more.
   * Give it to the system that you act on, and keep receipts, trash and whatever undoes the effect under it.
   */
  readonly idempotency_key: string;
  /** Epoch ms after which the result is not waited for. */
  readonly deadline_ms: number;
  /** Aborted at the deadline, on cancel and when the executor loses its lease: destroy connections then. */
  readonly signal: AbortSignal;
  /** Settings that the operator gave to this pack. Never secrets, and never a folder: ask `tenantFolder` for that. */
  readonly settings: Readonly<Record<string, string>>;
  /**
   * The folder of this run's tenant in a folder setting of the pack, as a real path, made where it is missing. No other
   * tenant has it or anything below it, unless the operator lets all tenants share the setting. Whatever a tool keeps on
   * the disk (files, receipts, trash) belongs there.
   * @param variable the folder setting, as the pack declares it
   * @throws ToolError (effect `none`) where this tenant has none; tell it on as it is
   */
  tenantFolder(variable: string): Promise<string>;
  /** What the operator keeps in that setting for all tenants alike. Read it and write nothing; it may be missing. */
  commonFolder(variable: string): Promise<string>;
  /** The secrets that the contract names in `auth_requirements`. */
  readonly secrets: SecretSource;
  /** Searches for patterns of callers, in threads of its own. A tool never gives a caller's pattern to `RegExp`. */
  readonly patterns: PatternSearch;
  log(message: string, fields?: Record<string, unknown>): void;
  /** Says how far the run is: `fraction` from 0 to 1. A hint; some are left out where they come fast. */
  progress(fraction: number, message?: string): void;
  /** Keeps something large beside the output. @returns where it is; the envelope lists it. @throws ToolError where it can't be kept. */
  attach(blob: ToolBlob): Promise<ToolAttachment>;
}

/** Secrets by name, resolved for the caller on use; never kept, logged or put into an output. */
export interface SecretSource {
  /** @throws ToolError AUTH_REQUIRED where the tool did not declare the name or no value is set. */
  get(name: string): Promise<string>;
}

/** What a tool wants to keep beside its output. */
export interface ToolBlob {
  kind: 'blob' | 'image' | 'table';
  content_type: string;
  data: Uint8Array | string;
}

/** Where a blob was kept, as the envelope lists it. */
export interface ToolAttachment {
  kind: ToolBlob['kind'];
  url: string;
  content_type: string;
  bytes: number;
}

/** What a read-back says of an effect that a run reported. */
export type Verified = { kind: 'verified' } | { kind: 'contradicted'; why: string } | { kind: 'cannot_tell'; why: string };

/** Something that holds between each input and its output, whatever the schema allows. Pure and fast; a throw counts as false. */
export interface SanityPredicate<I, O> {
  name: string;
  severity: SanitySeverity;
  holds(input: I, output: O): boolean;
}

/** Says that a definition is to be used no more; the compiler marks every use of it. */
export interface Deprecation {
  /** ISO date. */
  since: string;
  /** ISO date from which it may be removed. */
  sunset_at?: string;
  /** What to use instead, `name@version`. */
  use?: string;
}

/** What a reconcile may say about a write whose answer was lost. */
export type Reconciled<O> = { kind: 'happened'; output: O } | { kind: 'did_not_happen' } | { kind: 'cannot_tell'; why: string };

/** The effect that `compensate` undoes. */
export interface Compensates<I = unknown, O = unknown> {
  call_id: string;
  /** The key that its run was given: receipts, trash and records of the effect are under it. `ctx.idempotency_key` is that of the undo. */
  idempotency_key: string;
  /** As they ran: after an approver's edit, and mapped where the tenant maps them. */
  inputs: I;
  /** As the run gave it, whole: also where callers got it shortened. */
  output: O;
  /** Exact semver of the tool that ran. */
  version: string;
}

/** A tool as the executor runs it: its contract, and functions over validated JSON. */
export interface Tool {
  readonly contract: ToolContract;
  /**
   * The effect or the answer. Runs in the executor's process and on its thread: it must give the thread back, as nothing
   * can abort an endless loop or a synchronous wait, and must await every promise that it makes, as a rejection that
   * is not handled ends the process. Long computations belong into a worker thread that `ctx.signal` ends.
   */
  run(input: never, ctx: RunContext): Promise<unknown>;
  /** Asks the system of record whether the effect of this key is there. */
  reconcile?(input: never, ctx: RunContext): Promise<Reconciled<unknown>>;
  /** Undoes the effect of a run. */
  compensate?(compensates: Compensates<never, never>, ctx: RunContext): Promise<unknown>;
  /** Of a write: whether this output says that there was nothing to change. Its effect is then `none`. A throw counts as false. */
  changedNothing?(output: never): boolean;
  /** Reads the effect of a run back from its system. Changes nothing. */
  verify?(input: never, output: never, ctx: RunContext): Promise<Verified>;
  /** Version of what a cached answer was read from: where it has changed, equal calls of the same principal run again. Cheap; changes nothing. */
  sourceVersion?(input: never, ctx: RunContext): Promise<string>;
  /** What the executor checks of each output, in this order. */
  readonly sanity?: readonly SanityPredicate<never, never>[];
  readonly deprecated?: Deprecation;
}

/** A named set of tools, loaded where `COUNTERSIGN_PACKS` names it. */
export interface Pack {
  readonly name: string;
  /** Of the code that runs the tools: environments may be pinned to it. */
  readonly version?: string;
  /** Folder of the results of `npm run tools:verify`, `<tool>@<version>.json` each. Absent: tools for tests, which nothing gates. */
  readonly evaluations?: URL;
  readonly tools: readonly Tool[];
  /** Names of environment variables that become `ctx.settings`, with their defaults. */
  readonly settings?: Readonly<Record<string, string | undefined>>;
  /** Those of its settings that name folders: made and tried when the executor starts. A run gets its tenant's folder in each. */
  readonly folders?: readonly PackFolder[];
}

/** A setting of a pack that names a folder. */
export interface PackFolder {
  variable: string;
  /** The variable (true or false, default false) by which the operator lets all tenants share it. Absent: it cannot be shared. */
  sharing?: string;
}

/** What an author declares; `defineTool` turns it into a `Tool`. Schemas are zod 4 or JSON Schema 2020-12. */
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
   * What the write acts on, so that its answer is given again only as long as its effect stands:
   * `[{name: 'file:{/path}', effect: 'replaces'}]`. Absent: it can name nothing, and its answer belongs to its own request alone.
   */
  resources?: ResourceTemplate[];
  takes_key?: boolean;
  timeout_ms?: number;
  settle_ms?: number;
  settle_is_final?: boolean;
  max_output_bytes?: number;
  tier?: Tier;
  markings?: string[];
  scopes?: string[];
  deprecated?: Deprecation;
}

export type { ApprovalMode, JsonSchema, ResourceTemplate };
