import { randomBytes } from 'node:crypto';
import { type KeptKey, placeOfKey, SubjectKeys } from './subject-keys.js';

/** Keys of subjects in memory: for specs, and as the base of the file. */
export class MemorySubjectKeys extends SubjectKeys {
  protected readonly byId = new Map<string, KeptKey>();
  private readonly byPlace = new Map<string, KeptKey>();

  constructor(wrapping_key: Buffer = randomBytes(32)) {
    super(wrapping_key);
  }

  async ofSubject(tenant_id: string, subject: string): Promise<string[]> {
    return this.ids((key) => key.tenant_id === tenant_id && key.subject === subject);
  }

  async periods(tenant_id: string): Promise<{ markings: string; period: string; keys: number }[]> {
    const counts = new Map<string, { markings: string; period: string; keys: number }>();
    for (const { tenant_id: of, markings, period } of this.byId.values()) {
      if (of !== tenant_id) continue;
      const id = JSON.stringify([markings, period]);
      counts.set(id, { markings, period, keys: (counts.get(id)?.keys ?? 0) + 1 });
    }
    return [...counts.values()];
  }

  async destroy(tenant_id: string, key_ids: readonly string[]): Promise<number> {
    const deleted = key_ids.flatMap((id) => this.byId.get(id) ?? []).filter((key) => key.tenant_id === tenant_id);
    for (const key of deleted) this.drop(key);
    await this.wipe(deleted);
    return deleted.length;
  }

  destroyBefore(tenant_id: string, markings: string, period: string): Promise<number> {
    return this.destroy(
      tenant_id,
      this.ids((key) => key.tenant_id === tenant_id && key.markings === markings && key.period < period),
    );
  }

  async close(): Promise<void> {}

  protected async read(key_ids: readonly string[]): Promise<readonly KeptKey[]> {
    return key_ids.flatMap((id) => this.byId.get(id) ?? []);
  }

  protected async findOrKeep(offered: readonly KeptKey[]): Promise<KeptKey[]> {
    const fresh: KeptKey[] = [];
    const kept = offered.map((one) => {
      const known = this.byPlace.get(placeOfKey(one));
      if (known) return known;
      this.put(one);
      fresh.push(one);
      return one;
    });
    await this.keep(fresh);
    return kept;
  }

  protected put(key: KeptKey): void {
    this.byId.set(key.key_id, key);
    this.byPlace.set(placeOfKey(key), key);
  }

  private drop(key: KeptKey): void {
    this.byId.delete(key.key_id);
    this.byPlace.delete(placeOfKey(key));
  }

  /** Resolves when these keys and all earlier ones are durable. */
  protected async keep(_keys: readonly KeptKey[]): Promise<void> {}

  /** Resolves when the keys are erased. */
  protected async wipe(_keys: readonly KeptKey[]): Promise<void> {}

  private ids(wanted: (key: KeptKey) => boolean): string[] {
    return [...this.byId.values()].filter(wanted).map(({ key_id }) => key_id);
  }
}
