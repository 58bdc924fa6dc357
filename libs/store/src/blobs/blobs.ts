import { createHash } from 'node:crypto';

/** Content types that keep their own file extension; every other type is stored as bytes. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/octet-stream': 'bin',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'text/csv': 'csv',
  'text/plain': 'txt',
};
const TYPES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(EXTENSIONS).map(([type, extension]) => [extension, type]),
);
const NAME = /^[0-9a-f]{64}(?:~[\w-]{1,150})?\.[a-z]{3,4}$/;
const MARKINGS_CHARS_MAX = 150;
/** A list of markings that does not fit in a name is replaced by this one: only readers cleared for everything may read the blob. */
const EVERYTHING = ['*'];

/** The name of a stored blob: `<sha-256 of its bytes, hex>[~<its markings>].<extension for its content type>`. */
export interface KeptBlob {
  name: string;
  content_type: string;
  bytes: number;
}

/** Largest size of a blob. A blob is held in memory while it is written or read. */
export const BLOB_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Large payloads stored beside the log, addressed by their content and separated by tenant. They are kept for ever unless retention
 * removes them. A blob never changes, so storing the same bytes again does nothing.
 */
export interface Blobs {
  /** Resolves when the bytes are durable. @throws InfrastructureFault if they cannot be stored */
  put(tenant_id: string, bytes: Uint8Array, content_type: string, markings?: readonly string[]): Promise<KeptBlob>;
  /** The stored bytes, verified against their name. Undefined: this tenant has no such blob. @throws InfrastructureFault */
  get(tenant_id: string, name: string): Promise<Buffer | undefined>;
}

/** The name under which these bytes are stored. @throws RangeError beyond BLOB_BYTES_MAX */
export function addressOf(bytes: Uint8Array, content_type: string, markings: readonly string[] = []): KeptBlob {
  if (bytes.byteLength > BLOB_BYTES_MAX) throw new RangeError(`a blob has at most ${BLOB_BYTES_MAX} bytes`);
  const [bare = ''] = content_type.toLowerCase().split(';');
  const extension = EXTENSIONS[bare.trim()] ?? 'bin';
  const name = `${createHash('sha256').update(bytes).digest('hex')}${suffixOf(markings)}.${extension}`;
  return { name, content_type: TYPES[extension] as string, bytes: bytes.byteLength };
}

/** The content type of a blob's name; undefined if the text is not the name of a blob. */
export function contentTypeOf(name: string): string | undefined {
  return NAME.test(name) ? TYPES[name.slice(name.lastIndexOf('.') + 1)] : undefined;
}

function suffixOf(markings: readonly string[]): string {
  if (markings.length === 0) return '';
  const encoded = (list: readonly string[]) => Buffer.from(JSON.stringify(list)).toString('base64url');
  const text = encoded([...new Set(markings)].sort());
  return `~${text.length > MARKINGS_CHARS_MAX ? encoded(EVERYTHING) : text}`;
}

/** The markings for which a reader of this blob must be cleared. The same digest with other markings names another blob. */
export function markingsOf(name: string): readonly string[] {
  const [, encoded] = /^[0-9a-f]{64}~([\w-]+)\./.exec(name) ?? [];
  if (encoded === undefined) return [];
  try {
    const list: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
    return Array.isArray(list) && list.every((one) => typeof one === 'string') ? list : EVERYTHING;
  } catch {
    return EVERYTHING;
  }
}

/** File systems limit a file name to 255 bytes. */
const FOLDER_CHARS_MAX = 250;

/** `<tenant>/<first two digits>/<name>`: a tenant's id cannot escape its folder, and two tenants never share a folder. */
export function pathOf(tenant_id: string, name: string): string {
  return `${folderOf(tenant_id)}/${name.slice(0, 2)}/${name}`;
}

function folderOf(tenant_id: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,99}$/.test(tenant_id)) return tenant_id;
  const encoded = `=${Buffer.from(tenant_id).toString('hex')}`;
  return encoded.length <= FOLDER_CHARS_MAX ? encoded : `==${createHash('sha256').update(tenant_id).digest('hex')}`;
}

/** Whether the digest of the bytes matches the name. */
export function isIntact(name: string, bytes: Uint8Array): boolean {
  return createHash('sha256').update(bytes).digest('hex') === name.slice(0, 64);
}
