import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ERASED, EventCodec, firstMeta } from '@countersign/contracts';
import { EmbeddedEventLog } from '@countersign/event-log';
import { type FoundDamage, TextFile } from '@countersign/evidence';
import { FileSubjectKeys } from '@countersign/store';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CONFIGURATION_TOPIC } from '../topics.js';
import { Erasures } from './erasures.js';
import { Personal } from './personal.js';

const codec = new EventCodec();
const wrapping_key = randomBytes(32);
const tenants = { tenantKey: () => Buffer.alloc(32, 3) };
const by = { kind: 'user' as const, id: 'dpo', roles: [] };
const NOW = Date.UTC(2026, 10, 22);
let dir: string;
let log: EmbeddedEventLog;
let found: FoundDamage[];

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'erasures-'));
  log = await EmbeddedEventLog.open({ dir: path.join(dir, 'log'), fsync: 'none' });
  await log.ensureTopics([{ name: CONFIGURATION_TOPIC, partitions: 1 }]);
  found = [];
});
afterEach(async () => {
  await log.close();
  await rm(dir, { recursive: true, force: true });
});

/** The opened parts of a process. */
class Started {
  private constructor(
    readonly keys: FileSubjectKeys,
    readonly erasures: Erasures,
    readonly personal: Personal,
  ) {}

  static async open(): Promise<Started> {
    const keys = await FileSubjectKeys.open(keyFile(), wrapping_key);
    const erasures = new Erasures({ log, codec }, keys, new TextFile(path.join(dir, 'destroyed-keys.json')));
    await erasures.start({ found: (damage) => found.push(damage) > 0 });
    return new Started(keys, erasures, new Personal(keys, tenants, () => NOW, erasures));
  }

  async close(): Promise<void> {
    await this.erasures.close();
    await this.keys.close();
  }

  async sealed(subject: string, text: string): Promise<string> {
    const sealing = await this.personal.sealingAbout('acme', { subjects: [subject] }, NOW);
    return sealing?.seal.text(text) ?? '';
  }

  /** Erases as the gateway does; a crash may interrupt its steps. */
  async erase(subject: string, crash?: 'before the keys are destroyed'): Promise<void> {
    const ref = this.personal.ref('acme', subject);
    const key_ids = await this.keys.ofSubject('acme', ref);
    const event = { meta: firstMeta('acme', NOW), subject: ref, key_ids, reason: 'asked', by, erased_at_ms: NOW };
    const value = codec.encode('subject_erased', event);
    const [offset] = await log.append([
      { topic: CONFIGURATION_TOPIC, partition: 0, key: 'acme', value, headers: { event_type: 'subject_erased' } },
    ]);
    if (crash) return;
    await this.keys.destroy('acme', key_ids);
    await this.erasures.destroyed(offset as number);
  }
}

const keyFile = () => path.join(dir, 'subject-keys.bin');
const backup = () => path.join(dir, 'subject-keys.backup');

describe('the keys of an erased subject', () => {
  test('are found at the next start if an old key file was restored: this is damage of the tenant, and nothing can be read', async () => {
    const first = await Started.open();
    const text = await first.sealed('ada', 'lives in Paris');
    const other = await first.sealed('bob', 'lives in Rome');
    expect(await first.personal.plain('acme', text)).toBe('lives in Paris');
    await copyFile(keyFile(), backup());
    await first.erase('ada');
    expect(await first.personal.plain('acme', text)).toBe(ERASED);
    await first.close();
    await copyFile(backup(), keyFile());
    const second = await Started.open();
    expect(found).toEqual([expect.objectContaining({ kind: 'keys', found_by: 'start', tenant_id: 'acme' })]);
    expect(found[0]?.reason).toContain(second.personal.ref('acme', 'ada'));
    expect(await second.personal.plain('acme', text)).toBe(ERASED);
    expect(await second.personal.plain('acme', other)).toBe('lives in Rome');
    expect(await second.keys.ofSubject('acme', second.personal.ref('acme', 'ada'))).toEqual([]);
    await second.close();
    found.length = 0;
    await (await Started.open()).close();
    expect(found).toEqual([]);
    // And once more, long after.
    await copyFile(backup(), keyFile());
    await (await Started.open()).close();
    expect(found).toHaveLength(1);
  });

  test('are not used while the process runs, whoever restores them, and new data gets another key', async () => {
    const running = await Started.open();
    const text = await running.sealed('ada', 'lives in Paris');
    await running.erase('ada', 'before the keys are destroyed');
    for (let n = 0; n < 200 && (await running.personal.plain('acme', text)) !== ERASED; n++) await new Promise(setImmediate);
    expect(await running.keys.ofSubject('acme', running.personal.ref('acme', 'ada'))).toHaveLength(1);
    expect(await running.personal.plain('acme', text)).toBe(ERASED);
    const next = await running.sealed('ada', 'lives in Oslo');
    expect(await running.personal.plain('acme', next)).toBe('lives in Oslo');
    await running.close();
    const later = await Started.open();
    expect([await later.personal.plain('acme', next), await later.personal.plain('acme', text), found]).toEqual([
      'lives in Oslo',
      ERASED,
      [],
    ]);
    await later.close();
  });

  test('are destroyed without a report if a crash happened before their destruction', async () => {
    for (let n = 0; n < 20; n++) {
      const process = await Started.open();
      const text = await process.sealed(`s${n}`, 'x');
      await process.sealed(`t${n}`, 'x');
      await process.erase(`s${n}`, 'before the keys are destroyed');
      await process.erase(`t${n}`);
      await process.close();
      const next = await Started.open();
      expect([await next.keys.ofSubject('acme', next.personal.ref('acme', `s${n}`)), await next.personal.plain('acme', text)]).toEqual([
        [],
        ERASED,
      ]);
      await next.close();
    }
    expect(found).toEqual([]);
  });
});
