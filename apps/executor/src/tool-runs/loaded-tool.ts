import { contractDigest, isReadOnly, type ToolContract } from '@countersign/contracts';
import type { Recovery } from '@countersign/domain';
import { type Ask, type Runtime, type RuntimePack, type RuntimeTool, type ToolJob, toolId } from '@countersign/runtimes';
import { faultsOfForeign, type RunContext } from '@countersign/tool-kit';
import type { TenantFolders } from '@countersign/tool-kit/tenant-folders/tenant-folders';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { Issue } from '../calls/job.js';
import { settingsOf } from '../pack-settings.js';
import { type DeclaredExtras, declaredExtras } from './declared-extras.js';
import type { HostedPack } from './hosted-packs.js';
import { compiledSchema } from './schema-checks.js';
import { originOf, type ToolOrigin } from './tool-origin.js';

function issuesOf(errors: ErrorObject[] | null | undefined): Issue[] {
  return (errors ?? []).slice(0, 20).map((error) => ({ path: error.instancePath, message: error.message ?? 'invalid' }));
}

function holdsMs({ cache }: ToolContract): number {
  if (cache?.kind === 'forever') return Number.MAX_SAFE_INTEGER;
  return cache?.kind === 'ttl' ? (cache.ttl_ms ?? 0) : 0;
}

/** A tool that is ready to run. Each schema is compiled at its first use: compiling all of them delayed every start by half a second. */
export class LoadedTool {
  /** `name@version`. */
  readonly id: string;
  readonly contract: ToolContract;
  readonly digest: string;
  readonly recovery: Recovery;
  /** The optional functions of the tool besides `run`. */
  readonly asks: ReadonlySet<Ask>;
  /** True if its effect is read back after each run. */
  readonly verifies: boolean;
  readonly declared: DeclaredExtras | undefined;
  /** A run that takes longer is late; Infinity if nothing is declared. */
  readonly late_after_ms: number;
  /** How long a cached result answers equal calls; 0: not cached. */
  readonly holds_ms: number;
  private inputs: ValidateFunction | undefined;
  private outputs: ValidateFunction | undefined;

  constructor(
    readonly runtime: Runtime,
    { contract, asks }: RuntimeTool,
    readonly settings: Readonly<Record<string, string>>,
    readonly origin: ToolOrigin = { adapter: '', adapter_version: '', gated: false, evaluation_json: null, is_tenants: false },
    /** Its pack's folder settings, by variable. */
    readonly folders: ReadonlyMap<string, TenantFolders> = new Map(),
  ) {
    this.id = toolId(contract);
    this.contract = contract;
    this.asks = asks;
    this.digest = contractDigest(contract);
    const { effect_class, takes_key, has_reconcile, settle_ms, settle_is_final } = contract;
    this.verifies = !isReadOnly(effect_class) && asks.has('verify');
    this.holds_ms = isReadOnly(effect_class) ? holdsMs(contract) : 0;
    this.declared = declaredExtras(contract);
    this.late_after_ms = contract.sla?.p95_ms ?? Number.POSITIVE_INFINITY;
    this.recovery = { write: !isReadOnly(effect_class), takes_key, has_reconcile, settle_ms, settle_is_final };
  }

  /** The job of one run for its runtime. */
  job(input: unknown, context: RunContext): ToolJob {
    return { tool: this.id, input, context };
  }

  inputIssues(value: unknown): Issue[] {
    this.inputs ??= compiledSchema(this.contract.input_schema);
    return this.inputs(value) ? [] : issuesOf(this.inputs.errors);
  }

  outputIssues(value: unknown): Issue[] {
    this.outputs ??= compiledSchema(this.contract.output_schema);
    return this.outputs(value) ? [] : issuesOf(this.outputs.errors);
  }
}

/** The folder settings that a pack declares. */
function foldersOfPack({ folders = [] }: RuntimePack, all: ReadonlyMap<string, TenantFolders>): ReadonlyMap<string, TenantFolders> {
  return new Map([...all].filter(([variable]) => folders.some((folder) => folder.variable === variable)));
}

/**
 * The tools of these packs by `name@version`, with each pack's settings from the environment. @throws if a tool is defined twice, or its
 * contract has faults.
 */
export function loadTools(
  hosted: readonly HostedPack[],
  environment: Readonly<Record<string, string | undefined>>,
  folders: ReadonlyMap<string, TenantFolders> = new Map(),
): ReadonlyMap<string, LoadedTool> {
  const tools = new Map<string, LoadedTool>();
  for (const { runtime, pack } of hosted) {
    const settings = settingsOf(pack, environment);
    for (const tool of pack.tools) {
      const id = toolId(tool.contract);
      if (tools.has(id)) throw new Error(`COUNTERSIGN_PACKS: two packs define tool ${id}`);
      const faults = faultsOfForeign(tool.contract);
      if (faults.length > 0) throw new Error(`COUNTERSIGN_PACKS: tool ${id} is refused: ${faults.join('; ')}`);
      tools.set(id, new LoadedTool(runtime, tool, settings, originOf(pack, id), foldersOfPack(pack, folders)));
    }
  }
  return tools;
}
