import { randomBytes } from 'node:crypto';
import { uuidv7 } from '@countersign/contracts';
import { open, seal } from '../vault/wrapping-keys.js';

/** The scope of one key: a subject's data of one month with the same markings. */
export interface KeyPlace {
  tenant_id: string;
  /** HMAC of the subject's id, hex; never the id. */
  subject: string;
  /** Sorted and separated by commas. */
  markings: string;
  /** YYYY-MM (UTC). */
  period: string;
}

export interface SubjectKey extends KeyPlace {
  key_id: string;
  /** 32 bytes. */
  key: Buffer;
}

/** A key as stored: wrapped under a key of the installation. */
export interface KeptKey extends KeyPlace {
  key_id: string;
  wrapped: Buffer;
  created_at_ms: number;
}

export const placeOfKey = ({ tenant_id, subject, markings, period }: KeyPlace): string =>
  JSON.stringify([tenant_id, subject, markings, period]);

const aboutOf = (place: KeyPlace, key_id: string): string => `subject/${key_id}/${placeOfKey(place)}`;

/**
 * The keys of data subjects. An issued key is durable. A destroyed key is erased everywhere, and its place gets a new key when one is
 * needed again. Nothing is cached: every process sees at once which keys another one destroyed. Throws InfrastructureFault if the store
 * is unavailable.
 */
export abstract class SubjectKeys {
  constructor(private readonly wrapping_key: Buffer) {}

  /** The keys of these ids that are not destroyed. */
  async get(tenant_id: string, key_ids: readonly string[]): Promise<Map<string, Buffer>> {
    const keys = new Map<string, Buffer>();
    if (key_ids.length === 0) return keys;
    for (const kept of await this.read(key_ids)) if (kept.tenant_id === tenant_id) keys.set(kept.key_id, this.opened(kept));
    return keys;
  }

  /** Which of these ids are not destroyed. */
  async living(tenant_id: string, key_ids: readonly string[]): Promise<string[]> {
    return (await this.read(key_ids)).filter((kept) => kept.tenant_id === tenant_id).map(({ key_id }) => key_id);
  }

  /** The keys of these places, in their order; missing keys are created. */
  async current(places: readonly KeyPlace[], now_ms: number): Promise<SubjectKey[]> {
    const made = places.map((place): KeptKey => {
      const key_id = uuidv7(now_ms);
      return { ...place, key_id, wrapped: seal(this.wrapping_key, randomBytes(32), aboutOf(place, key_id)), created_at_ms: now_ms };
    });
    const kept = await this.findOrKeep(made);
    return kept.map((one) => ({ ...one, key: this.opened(one) }));
  }

  /** Ids of a subject's keys that are not destroyed. */
  abstract ofSubject(tenant_id: string, subject: string): Promise<string[]>;
  /** Sets of markings and months for which keys exist, with their number. */
  abstract periods(tenant_id: string): Promise<{ markings: string; period: string; keys: number }[]>;
  /** Overwrites and syncs, or deletes, the keys; keys that are already destroyed are no fault. @returns how many existed */
  abstract destroy(tenant_id: string, key_ids: readonly string[]): Promise<number>;
  /** Destroys the keys with these markings of earlier months. */
  abstract destroyBefore(tenant_id: string, markings: string, period: string): Promise<number>;
  abstract close(): Promise<void>;

  protected abstract read(key_ids: readonly string[]): Promise<readonly KeptKey[]>;
  /** The existing key of each place; stores the offered key where there is none. */
  protected abstract findOrKeep(offered: readonly KeptKey[]): Promise<KeptKey[]>;

  private opened(kept: KeptKey): Buffer {
    return open(this.wrapping_key, kept.wrapped, aboutOf(kept, kept.key_id));
  }
}
