import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  canonicalText,
  extrasOf,
  isReadOnly,
  type Outcome,
  type OutcomeExtras,
  sha256Hex,
  type ToolCall,
  type ToolContract,
} from '@countersign/contracts';
import { type ConfigurationState, cachingBasis, type RunResult } from '@countersign/domain';
import type { TenantKeys } from '@countersign/process';
import { CACHED_BYTES_MAX, type ResultCache } from '@countersign/store';
import type { Job } from '../calls/job.js';

/** A tool whose results may be cached, and for how long. */
export interface MemoTool {
  digest: string;
  contract: ToolContract;
  holds_ms: number;
}

type Output = Extract<RunResult, { kind: 'output' }>;
type Kept = Pick<Outcome, 'output_json' | 'truncated' | 'warnings' | 'attachments'> &
  Pick<OutcomeExtras, 'provenance' | 'validation_json' | 'flags'>;

const SEAL_BYTES = 32;

/** True if the result depends on the caller: always, except for a pure function without secrets. */
function whoMatters({ effect_class, auth_requirements }: ToolContract): boolean {
  return effect_class !== 'pure' || (auth_requirements ?? []).length > 0;
}

function whoOf({ principal, authority }: ToolCall): unknown[] {
  const clearances = [...new Set(authority?.clearances ?? [])].sort();
  return [principal.kind, principal.id, authority?.on_behalf_of?.id ?? null, clearances];
}

/** How long a cached result answers this call; 0: not at all. A tool of an upstream is cached only for calls by its alias. */
export function holdsMs({ holds_ms, contract }: MemoTool, { call }: Pick<Job, 'call'>): number {
  const alias = contract.upstream?.alias;
  return alias !== undefined && alias.name === call.alias && isReadOnly(contract.effect_class) ? alias.ttl_ms : holds_ms;
}

/**
 * Caches results of read-only tools that declare how long they are valid. A cache key identifies the call: tenant, tool with version and
 * contract, inputs, version of the source and, unless the tool is pure, the caller, because reads may depend on principal and clearances.
 * For a call by an alias also its purpose, and what the tenant's configuration is: a change makes all entries unreachable.
 */
export class Memo {
  constructor(
    private readonly cache: ResultCache,
    private readonly keys: TenantKeys,
    private readonly configuration: { readonly state: ConfigurationState },
  ) {}

  keyOf({ digest, contract }: MemoTool, { tenant_id, call }: Job, source_version: string): string {
    const who = whoMatters(contract) || call.alias ? whoOf(call) : null;
    const parts = [tenant_id, `${call.tool}@${call.version}`, digest, call.inputs_digest, source_version, who];
    return sha256Hex(canonicalText(call.alias ? [...parts, this.basisOf(tenant_id, contract, call)] : parts));
  }

  private basisOf(tenant_id: string, { name, upstream }: ToolContract, { alias, context }: ToolCall): unknown[] {
    return [alias, context.purpose, cachingBasis(this.configuration.state, tenant_id, upstream?.server ?? '', name)];
  }

  /** The result cached under this key, marked as cached. Never throws: an unreadable entry counts as missing. */
  async find(tenant_id: string, key: string): Promise<Output | undefined> {
    const sealed = await this.cache.get(key);
    if (!sealed || sealed.length <= SEAL_BYTES) return undefined;
    const text = sealed.subarray(SEAL_BYTES);
    if (!timingSafeEqual(sealed.subarray(0, SEAL_BYTES), this.seal(tenant_id, key, text))) return undefined;
    const { output_json, truncated, warnings, attachments, provenance, validation_json, flags } = JSON.parse(text.toString()) as Kept;
    // An entry from before flags does not say what was found in it.
    if (flags === undefined) return undefined;
    const extras = extrasOf({ cached: true, provenance, validation_json, ...(flags ? { flags } : {}) });
    return { kind: 'output', output_json: output_json as string, truncated, warnings, attachments, extras };
  }

  keep(tool: MemoTool, job: Job, outcome: Outcome): void {
    const { tenant_id, memo_key: key } = job;
    const { output_json, truncated, warnings, attachments, extras, ended_at_ms } = outcome;
    if (key === undefined || output_json === null || output_json.length > CACHED_BYTES_MAX) return;
    const { name, version } = tool.contract;
    const provenance = extras?.provenance ?? { source: `${name}@${version}`, as_of_ms: ended_at_ms, confidence: null };
    const { validation_json = null, flags = null } = extras ?? {};
    const kept: Kept = { output_json, truncated, warnings, attachments, provenance, validation_json, flags };
    const text = Buffer.from(JSON.stringify(kept));
    this.cache.put(key, Buffer.concat([this.seal(tenant_id, key, text), text]), holdsMs(tool, job));
  }

  /** Authenticates an entry: others may write to a shared Redis, and only entries of this installation count. */
  private seal(tenant_id: string, key: string, text: Buffer): Buffer {
    return createHmac('sha256', this.keys.tenantKey(tenant_id)).update(key).update(text).digest();
  }
}
