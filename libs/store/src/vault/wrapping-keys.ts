import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM: nonce, tag and ciphertext in one buffer. `about` is authenticated: the same bytes do not open with another `about`. */
export function seal(key: Buffer, plain: Buffer, about: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** @throws Error if the bytes were changed or belong to another key or another `about`. */
export function open(key: Buffer, sealed: Buffer, about: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(about));
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}

/** A data key under a wrapping key. */
export interface WrappedKey {
  key_id: string;
  wrapped: Buffer;
}

/**
 * Keys that wrap data keys, with the interface of a key management service: the keys themselves are never exposed. `about` is the
 * encryption context, which is verified when a key is unwrapped. All methods throw if the service is unavailable.
 */
export abstract class WrappingKeys {
  /** The id of the key that wraps new data keys. */
  abstract current(): string;
  abstract wrap(data_key: Buffer, about: string): Promise<WrappedKey>;
  abstract unwrap(key: WrappedKey, about: string): Promise<Buffer>;
  /** Creates a new current key if this process owns the keys; older ones still unwrap. @returns the current key's id. */
  abstract rotate(): Promise<string>;
}

/** Wrapping keys in memory, by id; the first is the current one. */
export class KnownWrappingKeys extends WrappingKeys {
  readonly #keys: ReadonlyMap<string, Buffer>;

  constructor(keys: readonly (readonly [id: string, key: Buffer])[]) {
    super();
    if (keys.length === 0 || keys.some(([, key]) => key.length !== KEY_BYTES)) throw new Error('a wrapping key must have 32 bytes');
    this.#keys = new Map(keys);
  }

  /** `id:base64[,id:base64…]`. @throws Error for any other text. */
  static fromText(text: string): KnownWrappingKeys {
    const parts = text.split(',').map((part) => /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/=]+)$/.exec(part.trim()));
    if (parts.some((part) => part === null)) throw new Error('write them as id:base64, separated by commas');
    return new KnownWrappingKeys(parts.map((part) => [part?.[1] as string, Buffer.from(part?.[2] as string, 'base64')]));
  }

  current(): string {
    return this.#keys.keys().next().value as string;
  }

  async wrap(data_key: Buffer, about: string): Promise<WrappedKey> {
    const key_id = this.current();
    return { key_id, wrapped: seal(this.#keys.get(key_id) as Buffer, data_key, about) };
  }

  async unwrap({ key_id, wrapped }: WrappedKey, about: string): Promise<Buffer> {
    const key = this.#keys.get(key_id);
    if (!key) throw new Error(`the wrapping key ${key_id} is not configured`);
    return open(key, wrapped, about);
  }

  /** Does nothing: the operator rotates these keys through the environment. */
  async rotate(): Promise<string> {
    return this.current();
  }
}
