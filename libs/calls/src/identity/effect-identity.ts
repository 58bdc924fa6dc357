import { createHmac } from 'node:crypto';
import {
  callId,
  canonicalText,
  derivedKey,
  discriminatingInputs,
  headerKey,
  isReadOnly,
  type KeyScope,
  type KeySource,
  normalise,
  partitionOf,
  sha256Hex,
  type ToolContract,
  uuidOfParts,
} from '@countersign/contracts';
import { DAY_MS } from '@countersign/domain';

/** Without a case or a run only the principal scopes a derived key, so such a key is valid for a short time only. */
const PRINCIPAL_WINDOW_MS = 600_000;

export interface IdentityRequest extends KeyScope {
  contract: ToolContract;
  inputs: Record<string, unknown>;
  occurrence: string | null;
  seq: number | null;
  /** The caller's own id of this request (`context.request_id`), used if the run does not number it. */
  request_id: string | null;
  /** The requested version, exact or a range; null: the newest. */
  requested_version: string | null;
  principal_kind: string;
  /** `Idempotency-Key` header; ignored for read-only calls, which are not deduplicated. */
  header: string | undefined;
  partitions: number;
  tenant_key: Uint8Array;
  /** The inputs are personal data: values derived from them are keyed with the tenant's key. */
  secret?: boolean;
  /** A new UUIDv7 for a call without a run number and a request id. */
  fresh_uuid: string;
}

/** What identifies a call and its effect. */
export interface Identity {
  call_id: string;
  partition: number;
  inputs_json: string;
  inputs_digest: string;
  idempotency_key: string;
  key_source: KeySource;
  discriminating_digest: string;
  window_ms: number;
  /** The call id is derived from the request, so the call may already be recorded. */
  numbered: boolean;
}

/**
 * A call runs with the inputs that were sent. The key of a write is derived from the normalized inputs (NFC, instants in UTC), so that two
 * spellings of one effect have one key. The key of a read is the id of its call.
 * @throws TypeError or Error if the inputs are not canonical JSON (a lone surrogate).
 */
export function identify(request: IdentityRequest): Identity {
  const inputsJson = canonicalText(request.inputs);
  const inputsDigest = sha256Hex(inputsJson);
  const inputs = normalise(request.inputs) as Record<string, unknown>;
  const normalJson = inputs === request.inputs ? inputsJson : canonicalText(inputs);
  const normal: Normal = { inputs, json: normalJson, digest: normalJson === inputsJson ? inputsDigest : sha256Hex(normalJson) };
  const named = namedUuid(request, { sent: inputsJson, normal: normalJson });
  const uuid = named ?? request.fresh_uuid;
  const { idempotency_key, key_source, discriminating_digest, window_ms } = keyOf(request, normal, inputsDigest, uuid);
  const partition = partitionOf(idempotency_key, request.partitions);
  return {
    call_id: callId(partition, uuid),
    partition,
    inputs_json: inputsJson,
    inputs_digest: inputsDigest,
    numbered: named !== undefined,
    idempotency_key,
    key_source,
    discriminating_digest: request.secret ? masked(request, discriminating_digest) : discriminating_digest,
    window_ms,
  };
}

/**
 * The call's uuid if it is derived from the request: from its number in its run, else from the caller's request id. The latter includes
 * everything that determines the effect, so that one id on two different requests gives two calls. It uses the requested version, so that a
 * release between two attempts does not change the request.
 */
function namedUuid(request: IdentityRequest, inputs: { sent: string; normal: string }): string | undefined {
  const { tenant_id, principal_kind, principal_id, case_id, run_id, seq, request_id, occurrence, header } = request;
  const hidden = (text: string) => (request.secret ? masked(request, text) : text);
  const { name, version } = request.contract;
  if (run_id !== null && seq !== null) return uuidOfParts([tenant_id, run_id, `${name}@${version}`, hidden(inputs.normal), String(seq)]);
  if (request_id === null) return undefined;
  const scope = [case_id, run_id, occurrence, header].map((part) => part ?? '');
  const tool = [name, request.requested_version ?? ''];
  return uuidOfParts(['request', tenant_id, principal_kind, principal_id, request_id, ...tool, hidden(inputs.sent), ...scope]);
}

const masked = ({ tenant_key }: IdentityRequest, text: string): string =>
  createHmac('sha256', tenant_key).update(`inputs/${text}`).digest('hex');

/** The normalized inputs for comparison: value, canonical text and the digest of that text. */
interface Normal {
  inputs: Record<string, unknown>;
  json: string;
  digest: string;
}

function keyOf(
  request: IdentityRequest,
  normal: Normal,
  inputsDigest: string,
  uuid: string,
): Pick<Identity, 'idempotency_key' | 'key_source' | 'discriminating_digest' | 'window_ms'> {
  const { contract } = request;
  if (isReadOnly(contract.effect_class))
    return { idempotency_key: uuid, key_source: 'call', discriminating_digest: inputsDigest, window_ms: 0 };
  const narrowed = discriminatingInputs(contract, normal.inputs);
  const same = narrowed === normal.inputs;
  const discriminating = same ? normal.json : canonicalText(narrowed);
  const digest = same ? normal.digest : sha256Hex(discriminating);
  const window = contract.idempotency.window_ms ?? DAY_MS;
  if (request.header !== undefined) {
    const key = headerKey(request.tenant_key, { tenant_id: request.tenant_id, principal_id: request.principal_id, header: request.header });
    return { idempotency_key: key, key_source: 'header', discriminating_digest: digest, window_ms: window };
  }
  const { tenant_id, case_id, run_id, principal_id, occurrence } = request;
  const key = derivedKey(request.tenant_key, {
    tenant_id,
    case_id,
    run_id,
    principal_id,
    occurrence,
    tool: contract.name,
    version: contract.version,
    discriminating,
  });
  const short = case_id === null && run_id === null;
  return {
    idempotency_key: key,
    key_source: 'derived',
    discriminating_digest: digest,
    window_ms: short ? Math.min(window, PRINCIPAL_WINDOW_MS) : window,
  };
}
