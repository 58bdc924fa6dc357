import { InfrastructureFault } from '@countersign/contracts';
import { Store } from '@countersign/store';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FaultyLog } from './testing/faulty-log.js';
import { Rig } from './testing/rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

/** A store that fails two of seven statements: before they ran, or after. */
class FaultyStore extends Store {
  readonly durable = false;
  private seed = 42;
  constructor(private readonly store: Store) {
    super();
  }
  query: Store['query'] = (statement) => this.perhaps(() => this.store.query(statement));
  atomically: Store['atomically'] = (statements, priority) => this.perhaps(() => this.store.atomically(statements, priority));
  transaction: Store['transaction'] = (work) => this.store.transaction(work);
  close = async () => undefined;

  /** By a seed, not in rotation: otherwise a retry with a fixed rhythm could meet the same fault forever. */
  private async perhaps<T>(work: () => Promise<T>): Promise<T> {
    this.seed = (Math.imul(this.seed, 1_664_525) + 1_013_904_223) >>> 0;
    const dice = this.seed / 2 ** 32;
    if (dice < 1 / 7) throw new InfrastructureFault('no connection');
    const result = await work();
    if (dice < 2 / 7) throw new InfrastructureFault('no answer, although it ran');
    return result;
  }
}

test('2,000 keys five times each at once: 2,000 effects and 10,000 equal answers', async () => {
  await rig.start();
  const rulings = Array.from({ length: 10_000 }, (_, at) => rig.ruling('blind_write', `key-${at % 2000}`));
  for (let at = 0; at < rulings.length; at += 1000) void rig.put('policy_decided', rulings.slice(at, at + 1000));
  const ends = await rig.ends(
    rulings.map((ruling) => ruling.meta.call_id as string),
    60_000,
  );
  expect(rig.world.effects).toHaveLength(2000);
  expect(new Set(rig.world.effects.map((effect) => effect.key)).size).toBe(2000);
  const answers = new Map<string, string>();
  for (const end of ends) {
    const answer = JSON.stringify(end.event.outcome);
    expect(answers.get(end.event.idempotency_key) ?? answer).toBe(answer);
    answers.set(end.event.idempotency_key, answer);
  }
  expect(ends.filter((end) => end.event_type === 'tool_retry_deduplicated')).toHaveLength(8000);
});

test('an append that fails, before or after it was written, runs nothing twice and loses no end', async () => {
  const log = new FaultyLog(rig.log);
  await rig.start({}, { log });
  log.every = 3;
  const rulings = Array.from({ length: 60 }, (_, at) => rig.ruling(at % 3 === 0 ? 'test_read' : 'blind_write', `n${at}`));
  for (const ruling of rulings) await rig.put('policy_decided', [ruling]);
  await rig.ends(
    rulings.map((ruling) => ruling.meta.call_id as string),
    60_000,
  );
  log.every = 0;
  expect(rig.world.effects).toHaveLength(40);
  expect(log.appends).toBeGreaterThan(20);
});

test('a store that fails, before or after the statement ran, runs nothing twice and loses no call', async () => {
  await rig.start({}, { store: new FaultyStore(rig.store) });
  const rulings = Array.from({ length: 60 }, (_, at) => rig.ruling('blind_write', `n${at % 40}`));
  for (const ruling of rulings) await rig.put('policy_decided', [ruling]);
  await rig.ends(
    rulings.map((ruling) => ruling.meta.call_id as string),
    60_000,
  );
  expect(rig.world.effects).toHaveLength(40);
});

test('a consumer whose offsets return to 0 finds history, and runs none of it', async () => {
  const first = await rig.start();
  const rulings = Array.from({ length: 100 }, (_, at) => rig.ruling(at % 2 ? 'blind_write' : 'test_read', `n${at}`));
  await rig.put('policy_decided', rulings);
  await rig.ends(rulings.map((ruling) => ruling.meta.call_id as string));
  await first.close();
  const before = (await rig.executed()).length;
  await rig.store.query({ text: 'UPDATE executor_progress SET history_below = 0, ends_from = 0', params: [] });
  await rig.start();
  await rig.end(await rig.allow('test_read', 'one more'));
  expect(rig.world.effects).toHaveLength(50);
  expect(rig.world.reads).toHaveLength(51);
  expect((await rig.executed()).length).toBe(before + 1);
});
