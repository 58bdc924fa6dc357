import { hkdfSync, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { tenantKey } from '@countersign/contracts';
import { LRUCache } from 'lru-cache';

const KEY_BYTES = 32;
/** Public routes derive keys for names of tenants that a request sends: those beyond this number are derived again. */
const TENANTS_MAX = 10_000;

/** The installation has no usable master key; `message` is one line for the operator. */
class KeyFault extends Error {}

/** Keys derived from the installation's master key. A lost master key changes every derived idempotency key. */
export class KeyRing {
  readonly #master: Buffer;
  readonly #tenants: LRUCache<string, Buffer>;

  private constructor(master: Buffer, tenants_max: number) {
    this.#master = master;
    this.#tenants = new LRUCache({ max: tenants_max });
  }

  /** `tenants_max`: the number of tenants whose keys stay in memory. @throws KeyFault if the text is not 32 bytes in base64. */
  static fromText(base64: string, tenants_max = TENANTS_MAX): KeyRing {
    const master = Buffer.from(base64, 'base64');
    if (master.length !== KEY_BYTES) throw new KeyFault(`the master key must be ${KEY_BYTES} bytes in base64`);
    return new KeyRing(master, tenants_max);
  }

  /**
   * Reads the key file, or creates it (mode 0600) at the first start. The file is complete and synced before it gets its name. If two
   * processes start together, both use the file of one of them. @throws KeyFault if the file is damaged.
   */
  static async fromFile(file: string): Promise<KeyRing> {
    const known = await read(file);
    if (known) return known;
    await create(file);
    const created = await read(file);
    if (!created) throw new KeyFault(`the key file ${file} disappeared`);
    return created;
  }

  /** 32 bytes for one purpose of the installation: HKDF of the master key. */
  seed(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#master, Buffer.alloc(0), `countersign/${purpose}`, KEY_BYTES));
  }

  /** HMAC key of a tenant, 32 bytes: HKDF of the master key. */
  tenantKey(tenant_id: string): Buffer {
    let key = this.#tenants.get(tenant_id);
    if (!key) {
      key = tenantKey(this.#master, tenant_id);
      this.#tenants.set(tenant_id, key);
    }
    return key;
  }
}

async function read(file: string): Promise<KeyRing | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new KeyFault(`the key file ${file} cannot be read: ${error.message}`);
  });
  if (text === null) return null;
  try {
    return KeyRing.fromText((JSON.parse(text) as { master_key: string }).master_key);
  } catch {
    throw new KeyFault(`the key file ${file} is damaged: restore it from a backup (with a new key, old calls could run again)`);
  }
}

async function create(file: string): Promise<void> {
  const dir = dirname(file);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const part = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    const handle = await open(part, 'wx', 0o600);
    await handle.writeFile(`${JSON.stringify({ master_key: randomBytes(KEY_BYTES).toString('base64') })}\n`);
    await handle.sync();
    await handle.close();
    // Unlike a rename, a link does not replace the file of a faster process.
    await link(part, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    const folder = await open(dir, 'r');
    await folder.sync();
    await folder.close();
  } finally {
    await rm(part, { force: true });
  }
}
