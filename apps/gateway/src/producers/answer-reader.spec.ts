import type { Calls, Seen } from '@countersign/calls';
import { CALL_ID, placed, sampleCall, sampleEnd, sampleMeta, sampleRuling } from '@countersign/calls/testing/samples';
import { InfrastructureFault } from '@countersign/contracts';
import { type CallState, evolve, type PlacedEvent } from '@countersign/domain';
import type { EventBatch, Recorded } from '@countersign/event-log';
import { expect, test } from 'vitest';
import { AnswerReader } from './answer-reader.js';
import type { ProducerAnswer } from './answer-topic.js';
import type { ProducerStanding } from './producer-standing.js';

const authority = { agent_token_ref: 'key:producer:acme' } as never;
const REQUESTED = placed('tool_call_requested', { meta: sampleMeta(), call: sampleCall({ authority }) }, 'tool-call-requested', 4);
const RULED = placed('policy_decided', sampleRuling({ call: sampleCall({ authority }) }), 'policy-decided', 5);
const ENDED = placed('tool_executed', sampleEnd(), 'tool-executed', 6);
const BATCH = { topic: 'tool-executed', partition: 2, events: [ENDED as unknown as Recorded] } as unknown as EventBatch;

/** Views that show a record only after a reader has waited for its position. */
class LaggingViews {
  readonly written: ProducerAnswer[] = [];
  readonly waits: string[][] = [];
  readonly reader: AnswerReader;

  constructor(
    private readonly late: readonly PlacedEvent[],
    private readonly catches_up = true,
  ) {
    const recorded = { views: { current: (seen: Seen) => this.current(seen), call: async () => this.state() } };
    const reading = async (state: CallState) => ({ state, envelope: '{}', was_sealed: false });
    const owner = { tenant_id: 'acme', key_id: 'k', principal: { roles: [] }, scopes: [], clearances: [] };
    const standing = { mayAnswer: () => true, answered: () => owner } as unknown as ProducerStanding;
    const log = { head: async (topic: string) => (topic === 'approval-granted' ? 3 : 9), first: async () => 3 };
    const write = async (answers: readonly ProducerAnswer[]) => void this.written.push(...answers);
    this.reader = new AnswerReader(log, { recorded, reading } as unknown as Calls, standing, { write });
  }

  private async current({ positions }: Seen): Promise<boolean> {
    this.waits.push(positions.map(({ topic, partition, offset }) => `${topic}/${partition}/${offset}`));
    return this.catches_up || this.waits.length === 1;
  }

  private state(): CallState | undefined {
    const late = this.waits.length > 1 ? [] : this.late;
    const shown = [REQUESTED, RULED, ENDED].filter((one) => !late.includes(one));
    const state = shown.reduce<CallState | undefined>((before, one) => evolve(before, one), undefined);
    return state?.requested ? state : undefined;
  }
}

test.each([
  ['request', REQUESTED],
  ['ruling', RULED],
])('an end that the views show before its %s is answered once they have both', async (_name, late) => {
  const views = new LaggingViews([late]);
  await views.reader.read(BATCH);
  expect(views.written.map(({ producer_id, state }) => [producer_id, state.call_id])).toEqual([['acme', CALL_ID]]);
  expect(views.waits).toEqual([['tool-executed/2/6'], ['tool-call-requested/2/8', 'policy-decided/2/8']]);
});

test('it is read again if the views do not catch up', async () => {
  const views = new LaggingViews([REQUESTED], false);
  await expect(views.reader.read(BATCH)).rejects.toThrow(InfrastructureFault);
  expect(views.written).toEqual([]);
});

test('a call that the views show whole is answered without another wait', async () => {
  const views = new LaggingViews([]);
  await views.reader.read(BATCH);
  expect([views.written.length, views.waits.length]).toEqual([1, 1]);
});

test('a call whose request was dropped with old records is skipped', async () => {
  const views = new LaggingViews([]);
  Object.assign(views, { state: () => undefined });
  await views.reader.read(BATCH);
  expect([views.written, views.waits.length]).toEqual([[], 2]);
});
