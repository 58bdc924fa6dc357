import type { PlacedEvent } from '@countersign/domain';
import type { Row, Sql } from '@countersign/store';
import { expect, test } from 'vitest';
import { SampleHistory } from '../testing/sample-history.js';
import { CallStates } from './call-states.js';

/** A store whose responses the test releases. */
class SlowSql implements Sql {
  answers: () => void = () => undefined;
  private readonly gate = new Promise<void>((open) => {
    this.answers = open;
  });

  async query<R extends Row>(): Promise<R[]> {
    await this.gate;
    return [];
  }
}

const history = new SampleHistory();
const first = history.call('granted', null);
const second = history.call('allowed', null);
const ofType = (call_id: string, type: string) =>
  history.events.find((at) => at.event.meta.call_id === call_id && at.event_type === type) as PlacedEvent;

test('an ended call is not evicted between its load and its fold, whatever writes end meanwhile', async () => {
  const states = new CallStates(0);
  const sql = new SlowSql();
  const late = ofType(first, 'approval_granted');
  for (const at of history.events) if (at !== late && at.event.meta.call_id === first) states.fold(at, first);
  const loading = states.load(sql, [late, ofType(second, 'tool_executed')], 0);
  states.written([first]);
  sql.answers();
  await loading;
  const { after } = states.fold(late, first);
  expect(after).toMatchObject({ approval_end: { kind: 'granted' }, end: { kind: 'executed' } });
});

test('a duplicate finds the state of the call that answered it, loaded once and always current', async () => {
  const other = new SampleHistory();
  const original = other.call('doubted', null);
  const loads = other.events.splice(0);
  other.call('deduplicated', null);
  other.call('deduplicated', null);
  const [one, two] = other.events.filter((at) => at.event_type === 'tool_retry_deduplicated') as [PlacedEvent, PlacedEvent];
  const states = new CallStates(0);
  const doubt = loads.filter((at) => at.event_type !== 'tool_call_resolved');
  for (const at of doubt) states.fold(at, original);
  const sql = new SlowSql();
  const loading = states.load(sql, [one], 0);
  states.written([original]);
  sql.answers();
  await loading;
  expect(states.fold(one, one.event.meta.call_id as string).original?.doubt).not.toBeNull();
  const resolved = loads.at(-1) as PlacedEvent;
  states.fold(resolved, original);
  states.written([original]);
  await states.load(sql, [two], 0);
  expect(states.fold(two, two.event.meta.call_id as string).original?.end?.kind).toBe('resolved');
});

test('it is evicted with the next write, unless it has changed since', async () => {
  const states = new CallStates(0);
  const all = history.events.filter((at) => at.event.meta.call_id === first);
  for (const at of all) states.fold(at, first);
  const pending = states.load(new SlowSql(), all, 0);
  states.written([first]);
  expect(states.size).toBe(1);
  void states.load(new SlowSql(), [], 0);
  states.written([], new Set([first]));
  expect(states.size).toBe(1);
  states.written([first]);
  expect(states.size).toBe(0);
  expect(pending).toBeInstanceOf(Promise);
});
