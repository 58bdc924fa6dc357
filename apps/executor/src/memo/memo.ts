import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalText, type Outcome, type OutcomeExtras, sha256Hex, type ToolCall, type ToolContract } from '@countersign/contracts';
import type { RunResult } from '@countersign/domain';
import type { TenantKeys } from '@countersign/process';
import { CACHED_BYTES_MAX, type ResultCache } from '@countersign/store';
import type { Job } from '../calls/job.js';
import { extrasOf } from '../calls/outcomes.js';

/** A tool whose results may be cached, and for how long. */
export interface MemoTool {
  digest: string;
  contract: ToolContract;
  holds_ms: number;
}

type Output = Extract<RunResult, { kind: 'output' }>;
type Kept = Pick<Outcome, 'output_json' | 'truncated' | 'warnings' | 'attachments'> & Pick<OutcomeExtras, 'provenance' | 'validation_json'>;

const SEAL_BYTES = 32;

/** True if the result depends on the caller: always, except for a pure function without secrets. */
function whoMatters({ effect_class, auth_requirements }: ToolContract): boolean {
  return effect_class !== 'pure' || (auth_requirements ?? []).length > 0;
}

function whoOf({ principal, authority }: ToolCall): unknown[] {
  const clearances = [...new Set(authority?.clearances ?? [])].sort();
  return [principal.kind, principal.id, authority?.on_behalf_of?.id ?? null, clearances];
}

/**
 * Caches results of read-only tools that declare how long they are valid. A cache key identifies the call: tenant, tool with version and
 * contract, inputs, version of the source and, unless the tool is pure, the caller, because reads may depend on principal and clearances.
 */
export class Memo {
  constructor(
    private readonly cache: ResultCache,
    private readonly keys: TenantKeys,
  ) {}

  keyOf({ digest, contract }: MemoTool, { tenant_id, call }: Job, source_version: string): string {
    const who = whoMatters(contract) ? whoOf(call) : null;
    return sha256Hex(canonicalText([tenant_id, `${call.tool}@${call.version}`, digest, call.inputs_digest, source_version, who]));
  }

  /** The result cached under this key, marked as cached. Never throws: an unreadable entry counts as missing. */
  async find(tenant_id: string, key: string): Promise<Output | undefined> {
    const sealed = await this.cache.get(key);
    if (!sealed || sealed.length <= SEAL_BYTES) return undefined;
    const text = sealed.subarray(SEAL_BYTES);
    if (!timingSafeEqual(sealed.subarray(0, SEAL_BYTES), this.seal(tenant_id, key, text))) return undefined;
    const { output_json, truncated, warnings, attachments, provenance, validation_json } = JSON.parse(text.toString()) as Kept;
    const extras = extrasOf({ cached: true, provenance, validation_json });
    return { kind: 'output', output_json: output_json as string, truncated, warnings, attachments, extras };
  }

  keep(tool: MemoTool, tenant_id: string, key: string, outcome: Outcome): void {
    const { output_json, truncated, warnings, attachments, extras, ended_at_ms } = outcome;
    if (output_json === null || output_json.length > CACHED_BYTES_MAX) return;
    const { name, version } = tool.contract;
    const provenance = extras?.provenance ?? { source: `${name}@${version}`, as_of_ms: ended_at_ms, confidence: null };
    const kept: Kept = { output_json, truncated, warnings, attachments, provenance, validation_json: extras?.validation_json ?? null };
    const text = Buffer.from(JSON.stringify(kept));
    this.cache.put(key, Buffer.concat([this.seal(tenant_id, key, text), text]), tool.holds_ms);
  }

  /** Authenticates an entry: others may write to a shared Redis, and only entries of this installation count. */
  private seal(tenant_id: string, key: string, text: Buffer): Buffer {
    return createHmac('sha256', this.keys.tenantKey(tenant_id)).update(key).update(text).digest();
  }
}
