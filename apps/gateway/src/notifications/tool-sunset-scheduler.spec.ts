import type { EventMap } from '@countersign/contracts';
import { evolveConfiguration, initialConfiguration, lifecycleEntry, type PlacedEvent } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import type { Store } from '@countersign/store';
import { expect, test } from 'vitest';
import type { ConfigurationService } from '../configuration/configuration.service.js';
import type { Notification } from './notification.js';
import { ToolSunsetScheduler } from './tool-sunset-scheduler.js';

const DAY_MS = 86_400_000;
const SUNSET = Date.UTC(2027, 0, 31);

/** A scheduler with a manual clock, on a configuration that folds its own writes. */
class Moved {
  now_ms = SUNSET - 60 * DAY_MS;
  readonly sent: Notification[] = [];
  readonly scheduler: ToolSunsetScheduler;
  /** True: the channel accepts all notifications; false: it does not respond. */
  answers = true;
  private state = initialConfiguration();
  private offset = 0;

  constructor() {
    const store = { query: async () => [] } as unknown as Store;
    const set = async (tenant_id: string, event_type: string, event: object) => this.say(event_type, event, tenant_id);
    const writer = { set, change: set };
    const now_ms = () => this.now_ms;
    const stateNow = () => this.state;
    const configuration = {
      get state() {
        return stateNow();
      },
      writer,
      clock: { now_ms },
    } as unknown as ConfigurationService;
    const send = async (notification: Notification) => {
      this.sent.push(notification);
      if (!this.answers) await new Promise(() => undefined);
    };
    this.scheduler = new ToolSunsetScheduler(configuration, { send }, store, { warn: () => undefined } as unknown as Logger);
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
    const before = this.sent.length;
    await this.scheduler.checkNow();
    await this.scheduler.checkNow();
    await new Promise((resolve) => setImmediate(resolve));
    return this.sent.slice(before).map(({ type, data }) => `${type} ${data.days_left}`);
  }

  get lifecycle() {
    return lifecycleEntry(this.state.by_tenant.get('acme'), 'pay', '1.0.0');
  }
}

test('callers are notified 30 and 7 days before the sunset, once each; at the sunset the version is blocked and announced', async () => {
  const moved = new Moved();
  moved.decide('deprecated', SUNSET);
  expect([await moved.at(40), await moved.at(30), await moved.at(20), await moved.at(6.5), await moved.at(1)]).toEqual([
    [],
    ['tool.version_sunset 30'],
    [],
    ['tool.version_sunset 7'],
    [],
  ]);
  expect(moved.sent[0]).toMatchObject({
    tenant_id: 'acme',
    data: { tool: 'pay', version: '1.0.0', use_instead: 'pay@2.0.0', sunset_at: '2027-01-31T00:00:00.000Z' },
  });
  expect(await moved.at(0)).toEqual(['tool.version_revoked null']);
  expect(moved.lifecycle).toMatchObject({ state: 'blocked', reason: 'its sunset date has passed' });
  expect(await moved.at(-1)).toEqual([]);
});

test('a late deprecation is announced once, for the nearer date; a changed sunset is announced again', async () => {
  const moved = new Moved();
  moved.now_ms = SUNSET - 5 * DAY_MS;
  moved.decide('deprecated', SUNSET);
  expect(await moved.at(5)).toEqual(['tool.version_sunset 5']);
  moved.decide('deprecated', SUNSET + DAY_MS);
  expect(await moved.at(4)).toEqual(['tool.version_sunset 5']);
  expect(new Set(moved.sent.map(({ id }) => id)).size).toBe(2);
});

test('a revocation is announced at once; while no channel has responded it is neither repeated nor marked as sent', async () => {
  const moved = new Moved();
  moved.answers = false;
  moved.decide('blocked');
  expect([await moved.at(50), await moved.at(49)]).toEqual([['tool.version_revoked null'], []]);
});
