import type { EventMap } from '@countersign/contracts';
import { evolveConfiguration, initialConfiguration, lifecycleEntry, type PlacedEvent } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import type { Store } from '@countersign/store';
import { expect, test } from '@jest/globals';
import type { Notice } from './notice.js';
import { VersionKeeper } from './version-keeper.js';

const DAY_MS = 86_400_000;
const SUNSET = Date.UTC(2027, 0, 31);

/** A keeper whose clock is moved by hand, on a configuration that folds what it writes. */
class Moved {
  now_ms = SUNSET - 60 * DAY_MS;
  readonly told: Notice[] = [];
  readonly keeper: VersionKeeper;
  /** A channel that takes what it is told; false: it does not answer. */
  answers = true;
  private state = initialConfiguration();
  private offset = 0;

  constructor() {
    const store = { query: async () => [] } as unknown as Store;
    const set = async (tenant_id: string, event_type: string, event: object) => this.say(event_type, event, tenant_id);
    const writer = { set, change: set };
    this.keeper = new VersionKeeper({
      state: () => this.state,
      writer: writer as never,
      tell: (notice, done) => {
        this.told.push(notice);
        if (this.answers) done();
      },
      store,
      clock: { now_ms: () => this.now_ms, monotonic_ms: () => 0 },
      logger: { warn: () => undefined } as unknown as Logger,
    });
  }

  say(event_type: string, event: object, tenant_id = 'acme') {
    const at = {
      event_type,
      event: { meta: { tenant_id }, ...event },
      topic: 'configuration-changed',
      partition: 0,
      offset: this.offset++,
    };
    this.state = evolveConfiguration(this.state, { ...at, timestamp_ms: 1 } as unknown as PlacedEvent);
    return { topic: '', partition: 0, offset: 0 };
  }

  decide(state: EventMap['tool_lifecycle_set']['state'], sunset_at_ms: number | null = null) {
    this.say('tool_lifecycle_set', {
      tool: 'pay',
      version: '1.0.0',
      state,
      sunset_at_ms,
      reason: null,
      use_instead: 'pay@2.0.0',
      changed_at_ms: this.now_ms,
    });
  }

  async at(days_before: number): Promise<string[]> {
    this.now_ms = SUNSET - days_before * DAY_MS;
    const before = this.told.length;
    await this.keeper.look();
    await this.keeper.look();
    await new Promise((resolve) => setImmediate(resolve));
    return this.told.slice(before).map(({ type, data }) => `${type} ${data.days_left}`);
  }

  get lifecycle() {
    return lifecycleEntry(this.state.by_tenant.get('acme'), 'pay', '1.0.0');
  }
}

test('callers are told 30 and 7 days before the sunset, once each; at the sunset the version is blocked, which is told as well', async () => {
  const moved = new Moved();
  moved.decide('deprecated', SUNSET);
  expect([await moved.at(40), await moved.at(30), await moved.at(20), await moved.at(6.5), await moved.at(1)]).toEqual([
    [],
    ['tool.version_sunset 30'],
    [],
    ['tool.version_sunset 7'],
    [],
  ]);
  expect(moved.told[0]).toMatchObject({
    tenant_id: 'acme',
    data: { tool: 'pay', version: '1.0.0', use_instead: 'pay@2.0.0', sunset_at: '2027-01-31T00:00:00.000Z' },
  });
  expect(await moved.at(0)).toEqual(['tool.version_revoked null']);
  expect(moved.lifecycle).toMatchObject({ state: 'blocked', reason: 'its sunset has come' });
  expect(await moved.at(-1)).toEqual([]);
});

test('a version that is deprecated late is told of once, for the nearer date; another sunset is told of anew', async () => {
  const moved = new Moved();
  moved.now_ms = SUNSET - 5 * DAY_MS;
  moved.decide('deprecated', SUNSET);
  expect(await moved.at(5)).toEqual(['tool.version_sunset 5']);
  moved.decide('deprecated', SUNSET + DAY_MS);
  expect(await moved.at(4)).toEqual(['tool.version_sunset 5']);
  expect(new Set(moved.told.map(({ id }) => id)).size).toBe(2);
});

test('a revocation is told at once; while no channel has answered it is not told twice, and never marked as told', async () => {
  const moved = new Moved();
  moved.answers = false;
  moved.decide('blocked');
  expect([await moved.at(50), await moved.at(49)]).toEqual([['tool.version_revoked null'], []]);
});
