import { createHmac, hash, hkdfSync } from 'node:crypto';
import type { KeySource } from './generated/events.js';
import { uuidText } from './ids.js';
import type { ToolContract } from './tool-contract.js';

/** The HMAC key of a tenant, derived from the installation's master key (HKDF-SHA256, RFC 5869). 32 bytes. */
export function tenantKey(masterKey: Uint8Array, tenantId: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), `countersign/tenant/${tenantId}`, 32));
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})$/;

/** The instant in UTC, with milliseconds or the finer precision of the text; undefined for an invalid date (30 February). */
function instantText(text: string): string | undefined {
  const time = Date.parse(text.replace(' ', 'T'));
  if (Number.isNaN(time)) return undefined;
  const day = Number(text.slice(8, 10));
  if (day > 28 && new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() !== day) return undefined;
  const utc = new Date(time).toISOString();
  const finer = text.length > 23 ? /\.\d{3}(\d*?)0*(?:[Zz]|[+-])/.exec(text)?.[1] : undefined;
  return finer ? `${utc.slice(0, -1)}${finer}Z` : utc;
}

/** Characters below U+0300 do not compose, so text without others is already in NFC. */
const MAY_COMPOSE = /[^\0-\u02ff]/;

function normalText(text: string): string {
  if (text.length >= 17 && text.length <= 40 && TIMESTAMP.test(text)) {
    const instant = instantText(text);
    if (instant !== undefined) return instant;
  }
  return MAY_COMPOSE.test(text) ? text.normalize('NFC') : text;
}

function normalItems(items: readonly unknown[]): unknown {
  let changed: unknown[] | undefined;
  for (let at = 0; at < items.length; at++) {
    const item = items[at];
    const normal = normalise(item);
    if (changed) changed.push(normal);
    else if (normal !== item) changed = [...items.slice(0, at), normal];
  }
  return changed ?? items;
}

/** Objects with another prototype are copied field by field into plain data. */
function normalFields(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const prototype = Object.getPrototypeOf(value);
  let changed: Record<string, unknown> | undefined = prototype === Object.prototype || prototype === null ? undefined : Object.create(null);
  const names = Object.keys(value);
  for (let at = 0; at < names.length; at++) {
    const given = names[at] as string;
    const item = value[given];
    const name = MAY_COMPOSE.test(given) ? given.normalize('NFC') : given;
    const normal = normalise(item);
    if (!changed) {
      if (item !== undefined && normal === item && name === given) continue;
      changed = Object.create(null) as Record<string, unknown>;
      for (let before = 0; before < at; before++) changed[names[before] as string] = value[names[before] as string];
    }
    if (item === undefined) continue;
    if (name in changed) throw new TypeError(`two fields have the same name: ${JSON.stringify(name)}`);
    changed[name] = normal;
  }
  return changed ?? value;
}

/**
 * Normalizes timestamps to UTC and strings to Unicode NFC; everything else stays (JCS sorts the fields later). Unchanged values, also
 * nested ones, are returned themselves.
 * @throws TypeError if two fields get the same name.
 */
export function normalise(value: unknown): unknown {
  if (typeof value === 'string') return normalText(value);
  if (value === null || typeof value !== 'object') return value;
  return Array.isArray(value) ? normalItems(value) : normalFields(value as Record<string, unknown>);
}

/** The inputs that identify the effect, as the tool declares (top-level fields); `inputs` itself if all of them do. */
export function discriminatingInputs(
  contract: Pick<ToolContract, 'idempotency'>,
  inputs: Record<string, unknown>,
): Record<string, unknown> {
  const { discriminating, except } = contract.idempotency;
  const keep = discriminating ? (name: string) => discriminating.includes(name) : (name: string) => !(except ?? []).includes(name);
  const names = Object.keys(inputs);
  return names.every(keep) ? inputs : Object.fromEntries(names.filter(keep).map((name) => [name, inputs[name]]));
}

/** The scope of an idempotency key: the case, else the run, else the principal. */
export interface KeyScope {
  tenant_id: string;
  case_id: string | null;
  run_id: string | null;
  principal_id: string;
}

export interface KeyParts extends KeyScope {
  tool: string;
  /** Exact semver; only the major version is used. */
  version: string;
  /** JCS text of the normalized discriminating inputs. */
  discriminating: string;
  occurrence: string | null;
}

const BLOCK_BYTES = 64;
const inner = Buffer.alloc(BLOCK_BYTES + 16_384);
const outer = Buffer.alloc(BLOCK_BYTES + 32);

/** HMAC-SHA256 (RFC 2104) of a text. Two plain hashes cost a third of an Hmac object, and every write needs one. */
function hmac(key: Uint8Array, text: string): Buffer {
  if (key.length > BLOCK_BYTES || text.length * 3 > inner.length - BLOCK_BYTES) return createHmac('sha256', key).update(text).digest();
  for (let i = 0; i < BLOCK_BYTES; i++) {
    const byte = key[i] ?? 0;
    inner[i] = byte ^ 0x36;
    outer[i] = byte ^ 0x5c;
  }
  const end = BLOCK_BYTES + inner.write(text, BLOCK_BYTES, 'utf8');
  outer.write(hash('sha256', inner.subarray(0, end), 'binary'), BLOCK_BYTES, 'latin1');
  return Buffer.from(hash('sha256', outer, 'binary'), 'latin1');
}

const part = (text: string): string => `${Buffer.byteLength(text)}:${text}`;

/** The derived key of a write: the first 16 bytes of HMAC-SHA256 under the tenant key, as UUID text. */
export function derivedKey(key: Uint8Array, parts: KeyParts): string {
  const scope =
    parts.case_id !== null
      ? `case${part(parts.case_id)}`
      : parts.run_id !== null
        ? `run${part(parts.run_id)}`
        : `principal${part(parts.principal_id)}`;
  const major = parts.version.split('.', 1)[0] as string;
  const text = `derived${part(parts.tenant_id)}${scope}${part(parts.tool)}${part(major)}${part(parts.discriminating)}${part(parts.occurrence ?? '')}`;
  return uuidText(hmac(key, text));
}

/** The key of a write with an `Idempotency-Key` header: scoped by tenant and principal. */
export function headerKey(key: Uint8Array, parts: { tenant_id: string; principal_id: string; header: string }): string {
  return uuidText(hmac(key, `header${part(parts.tenant_id)}${part(parts.principal_id)}${part(parts.header)}`));
}

/** The key for a text, such as a saga's step or an undo (`undoKeyText`), under the key of its tenant. */
export function keyOfText(key: Uint8Array, text: string): string {
  return uuidText(hmac(key, `text${part(text)}`));
}

/**
 * The id of a resource of a tenant: the first 16 bytes of HMAC-SHA256 under the tenant's key over tenant and name segments, as UUID text.
 */
export function resourceId(key: Uint8Array, tenantId: string, segments: readonly string[]): string {
  return uuidText(hmac(key, `resource${part(tenantId)}${segments.map(part).join('')}`));
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** True if the key identifies the request: a repeat with it gets the same answer, whatever has changed since. */
export const isKeyOfRequest = (source: KeySource): boolean => source === 'header' || source === 'effect' || source === 'saga';

/**
 * The key that a tool and its system get for one attempt of an idempotency key. Attempt 1 uses the key itself. Attempt n uses the first 16
 * bytes of HMAC-SHA256(the key's 16 bytes, `attempt:n`) as UUID text, so that receipts and external systems never confuse two attempts.
 * @throws RangeError if the key is not a UUID in lower case or the attempt is not an integer from 1.
 */
export function attemptKey(key: string, attempt: number): string {
  if (!UUID.test(key)) throw new RangeError('the idempotency key must be the text of a UUID in lower case');
  if (!Number.isSafeInteger(attempt) || attempt < 1) throw new RangeError(`the attempt must be a whole number from 1, and is ${attempt}`);
  return attempt === 1 ? key : uuidText(hmac(Buffer.from(key.replaceAll('-', ''), 'hex'), `attempt:${attempt}`));
}
