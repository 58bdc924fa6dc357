import { contractDigest, isReadOnly, type JsonSchema, type ToolContract } from '@countersign/contracts';
import type { Recovery } from '@countersign/domain';
import { faultsOfForeign, type Pack, type Tool } from '@countersign/tool-kit';
import type { TenantFolders } from '@countersign/tool-kit/tenant-folders/tenant-folders';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { settingsOf } from '../../pack-settings.js';
import type { Issue } from '../../running/job.js';
import { type DeclaredExtras, declaredExtras } from './declared-extras.js';
import { type CheckLayer, sanityLayer } from './output-checks.js';
import { originOf, type ToolOrigin } from './tool-origin.js';

const ajv = new Ajv2020({ strict: false, allErrors: false, ownProperties: true });
formats.default(ajv);

function compile(schema: JsonSchema): ValidateFunction {
  const { $id: _, ...rest } = schema;
  return ajv.compile(rest);
}

function issuesOf(errors: ErrorObject[] | null | undefined): Issue[] {
  return (errors ?? []).slice(0, 20).map((error) => ({ path: error.instancePath, message: error.message ?? 'invalid' }));
}

function holdsMs({ cache }: ToolContract): number {
  if (cache?.kind === 'forever') return Number.MAX_SAFE_INTEGER;
  return cache?.kind === 'ttl' ? (cache.ttl_ms ?? 0) : 0;
}

/** A tool ready to run. Each schema is compiled once, at its first use: compiling all of them held up every start by half a second. */
export class LoadedTool {
  readonly contract: ToolContract;
  readonly digest: string;
  readonly recovery: Recovery;
  /** Its effect is read back after each run. */
  readonly verifies: boolean;
  /** What checks its outputs beyond their schema; empty for most. */
  readonly layers: readonly CheckLayer[];
  readonly declared: DeclaredExtras | undefined;
  /** A run that takes longer is late; Infinity where nothing was declared. */
  readonly late_after_ms: number;
  /** How long a result answers equal calls; 0: not at all. */
  readonly holds_ms: number;
  private inputs: ValidateFunction | undefined;
  private outputs: ValidateFunction | undefined;

  constructor(
    readonly tool: Tool,
    readonly settings: Readonly<Record<string, string>>,
    readonly origin: ToolOrigin = { adapter: '', adapter_version: '', gated: false, evaluation_json: null },
    layers: readonly CheckLayer[] = [sanityLayer],
    /** Its pack's folder settings, by variable. */
    readonly folders: ReadonlyMap<string, TenantFolders> = new Map(),
  ) {
    this.contract = tool.contract;
    this.digest = contractDigest(tool.contract);
    const { effect_class, takes_key, has_reconcile, settle_ms, settle_is_final } = tool.contract;
    this.verifies = !isReadOnly(tool.contract.effect_class) && tool.verify !== undefined;
    this.holds_ms = isReadOnly(tool.contract.effect_class) ? holdsMs(tool.contract) : 0;
    this.declared = declaredExtras(tool.contract);
    this.late_after_ms = tool.contract.sla?.p95_ms ?? Number.POSITIVE_INFINITY;
    this.layers = layers.filter((layer) => layer.appliesTo(this));
    this.recovery = { write: !isReadOnly(effect_class), takes_key, has_reconcile, settle_ms, settle_is_final };
  }

  inputIssues(value: unknown): Issue[] {
    this.inputs ??= compile(this.contract.input_schema);
    return this.inputs(value) ? [] : issuesOf(this.inputs.errors);
  }

  outputIssues(value: unknown): Issue[] {
    this.outputs ??= compile(this.contract.output_schema);
    return this.outputs(value) ? [] : issuesOf(this.outputs.errors);
  }
}

/** Those of all folder settings that a pack declares. */
function foldersOfPack({ folders = [] }: Pack, all: ReadonlyMap<string, TenantFolders>): ReadonlyMap<string, TenantFolders> {
  return new Map([...all].filter(([variable]) => folders.some((folder) => folder.variable === variable)));
}

/** The tools of the named packs by `name@version`, with the settings that the environment gives each pack. @throws where a pack is unknown, a tool is there twice, or its contract has faults. */
export function loadTools(
  packs: readonly Pack[],
  names: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  folders: ReadonlyMap<string, TenantFolders> = new Map(),
): ReadonlyMap<string, LoadedTool> {
  const tools = new Map<string, LoadedTool>();
  for (const name of names) {
    const pack = packs.find((candidate) => candidate.name === name);
    if (!pack) throw new Error(`COUNTERSIGN_PACKS: there is no pack ${name}; there are ${packs.map((each) => each.name).join(', ')}`);
    const settings = settingsOf(pack, environment);
    for (const tool of pack.tools) {
      const id = `${tool.contract.name}@${tool.contract.version}`;
      if (tools.has(id)) throw new Error(`COUNTERSIGN_PACKS: tool ${id} is there twice`);
      const faults = faultsOfForeign(tool.contract);
      if (faults.length > 0) throw new Error(`COUNTERSIGN_PACKS: tool ${id} is refused: ${faults.join('; ')}`);
      tools.set(id, new LoadedTool(tool, settings, originOf(pack, id), undefined, foldersOfPack(pack, folders)));
    }
  }
  return tools;
}
