import type { ClaimedResources, Meta } from '@countersign/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PlacedEvent } from '../call/evolve.js';
import { type SeenRow, type SeenWith, wrongRow, wrongUnlogged } from './judged-row.js';
import { evolveAttempt, type LoggedAttempt } from './logged-attempt.js';
import type { ExecutionState } from './row.js';

const call_id = '0-0192f0c4-0000-7000-8000-000000000001';
const key = '0192f0c4-1111-7000-8000-000000000001';
const touched = [{ resource: '0192f0c4-2222-7000-8000-000000000001', exact: true, replaces: true, seen: 40 }];
const resources: ClaimedResources = { generation: 40, settle_ms: 100, touched };
const source = { topic: 'policy-decided', offset: 6 };

type Stated = 'start' | 'start again' | 'succeeded' | 'failed' | 'doubt' | 'resolved' | 'answered';

function record(facts: Stated, offset: number): PlacedEvent {
  const meta = { tenant_id: 'acme', call_id, attempt: 1 } as Meta;
  const outcome = (status: string, effect: string) => ({ status, effect, ended_at_ms: 1_000 * offset + 7 });
  const same = { meta, idempotency_key: key, source, also: null };
  const of = (event_type: string, event: object) => ({ event_type, event: { ...same, ...event }, offset, partition: 0 }) as never;
  switch (facts) {
    case 'start':
    case 'start again':
      return of('tool_call_started', { epoch: facts === 'start' ? 3 : 5, resources });
    case 'succeeded':
      return of('tool_executed', { epoch: 5, outcome: outcome('succeeded', 'happened') });
    case 'failed':
      return of('tool_executed', { epoch: 5, outcome: outcome('failed', 'none') });
    case 'doubt':
      return of('tool_call_in_doubt', { epoch: 5, outcome: outcome('in_doubt', 'unknown') });
    case 'resolved':
      return of('tool_call_resolved', { outcome: outcome('failed', 'none') });
    case 'answered':
      return of('tool_retry_deduplicated', { outcome: outcome('succeeded', 'happened') });
  }
}

function logged(...facts: Stated[]): LoggedAttempt {
  const fold = (before: LoggedAttempt | undefined, each: Stated, at: number) => evolveAttempt(before, record(each, 10 + at));
  return facts.reduce<LoggedAttempt | undefined>(fold, undefined) as LoggedAttempt;
}

const row = (of: Partial<SeenRow> = {}): SeenRow => ({
  call_id,
  epoch: 3,
  state: 'running',
  source_offset: 6,
  end_offset: null,
  ended_at_s: null,
  resources,
  ...of,
});
const ended = (state: ExecutionState, offset: number, of: Partial<SeenRow> = {}) =>
  row({ state, end_offset: offset, ended_at_s: offset, ...of });
const seen = (of: Partial<SeenWith> = {}): SeenWith => ({
  ends_from: 100,
  leases: new Map([[3, { fenced: false, drained: false }]]),
  generations: new Map([[touched[0]!.resource, { at_any: 40, in_any: 44 }]]),
  ...of,
});
const fenced = new Map([
  [3, { fenced: true, drained: false }],
  [4, { fenced: false, drained: false }],
]);
const another = { ...resources, touched: [{ ...touched[0]!, seen: 41 }] };

describe('the row of an attempt', () => {
  test.each<[string, Stated[], SeenRow | undefined, Partial<SeenWith>]>([
    ['runs as long as the log has its start but no end', ['start'], row(), {}],
    ['may be behind the log by what is not folded yet', ['start', 'succeeded'], row(), { ends_from: 11 }],
    ['may be ahead of the folded offset', ['start', 'succeeded'], ended('succeeded', 11), { ends_from: 0 }],
    ['says its end', ['start', 'succeeded'], ended('succeeded', 11), {}],
    ['is released where the log says that nothing happened', ['start', 'failed'], ended('released', 11), {}],
    ['is in doubt until that is resolved', ['start', 'doubt', 'resolved'], ended('in_doubt', 11), { ends_from: 12 }],
    [
      'follows what resolves a doubt, with a later generation',
      ['start', 'doubt', 'resolved'],
      ended('released', 12, { resources: { ...resources, generation: 99 } }),
      {},
    ],
    ['is that of whoever took it over from a fenced executor', ['start'], row({ epoch: 4 }), { leases: fenced }],
    ['is of the epoch that started it again', ['start', 'start again'], row({ epoch: 5 }), {}],
    ['is released where another call answered it', ['start', 'answered'], row({ state: 'released', end_offset: 11, ended_at_s: 1 }), {}],
    [
      'says the end of the executor that had it, where another wrote one before',
      ['failed', 'start', 'succeeded'],
      ended('succeeded', 12),
      {},
    ],
    ['need not be there where it never started', ['failed'], undefined, {}],
    ['may be that of another call where it never started', ['failed'], row({ call_id: 'another' }), {}],
  ])('%s', (_, facts, of, with_) => {
    expect(wrongRow(logged(...facts), of, seen(with_))).toBeUndefined();
  });

  test.each<[string, Stated[], SeenRow | undefined, Partial<SeenWith>, RegExp]>([
    ['is missing', ['start', 'succeeded'], undefined, {}, /no row, the log has its start/],
    [
      'says that nothing happened, while it runs',
      ['start'],
      row({ state: 'released', ended_at_s: 4 }),
      {},
      /says released, the log has its start but no end/,
    ],
    [
      'says that nothing happened, and it did',
      ['start', 'succeeded'],
      ended('released', 11),
      {},
      /says released, the log ends it as succeeded at offset 11/,
    ],
    ['names no end that is on the log', ['start', 'succeeded'], ended('succeeded', 12), {}, /says succeeded/],
    ['ended at another time', ['start', 'succeeded'], ended('succeeded', 11, { ended_at_s: 2 }), {}, /says succeeded/],
    ['still runs, while its end is folded', ['start', 'succeeded'], row(), {}, /says running, the log ends it as succeeded/],
    ['is still in doubt, while its resolution is folded', ['start', 'doubt', 'resolved'], ended('in_doubt', 11), {}, /says in_doubt/],
    ['is of another call', ['start'], row({ call_id: 'another' }), {}, /is of call another/],
    ['is of an epoch that no executor had', ['start'], row({ epoch: 9 }), {}, /says epoch 9, the log has its start under epoch 3/],
    [
      'is of another executor, while its own lives',
      ['start'],
      row({ epoch: 4 }),
      { leases: new Map([...fenced, [3, { fenced: false, drained: false }]]) },
      /says epoch 4/,
    ],
    ['names another ruling', ['start'], row({ source_offset: 7 }), {}, /says source offset 7, its start says 6/],
    ['names no resources', ['start'], row({ resources: null }), {}, /other resources/],
    ['knows another generation', ['start'], row({ resources: another }), {}, /other resources/],
    [
      'lost the generation of its effect',
      ['start', 'succeeded'],
      ended('succeeded', 11),
      { generations: new Map() },
      /generation 40 of resource .* is missing/,
    ],
    [
      'has an older generation of its effect',
      ['start', 'succeeded'],
      ended('succeeded', 11),
      { generations: new Map([[touched[0]!.resource, { at_any: 39, in_any: 44 }]]) },
      /is missing/,
    ],
    ['frees its key by an end that came too late', ['start', 'succeeded', 'failed'], ended('released', 12), {}, /says released/],
    ['never started, and says another end', ['failed'], ended('succeeded', 10), {}, /says succeeded/],
  ])('is wrong if it %s', (_, facts, of, with_, reason) => {
    expect(wrongRow(logged(...facts), of, seen(with_))).toMatch(reason);
  });

  test('is never wrong if it matches any prefix of the log, and always wrong if it frees a key that the log holds', () => {
    const ends = fc.constantFrom<Stated[]>([], ['succeeded'], ['failed'], ['doubt'], ['doubt', 'resolved'], ['doubt', 'succeeded']);
    const starts = fc.constantFrom<Stated[]>(['start'], ['start', 'start again']);
    fc.assert(
      fc.property(starts, ends, fc.nat(4), fc.nat(30), (begun, facts, folded, ends_from) => {
        const attempt = logged(...begun, ...facts);
        const at = attempt.ends[Math.min(folded, attempt.ends.length - 1)];
        const honest = at ? ended(at.state, at.offset) : row();
        const floor = Math.min(ends_from, attempt.ends[attempt.ends.indexOf(at as never) + 1]?.offset ?? 100);
        expect(wrongRow(attempt, honest, seen({ ends_from: floor }))).toBeUndefined();
        const holds = attempt.ends.every(({ state }) => state !== 'released');
        for (const offset of [null, 10, 11, 12, 13, 14])
          if (holds) expect(wrongRow(attempt, row({ state: 'released', end_offset: offset, ended_at_s: offset }), seen())).toBeDefined();
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a row without a record on the log', () => {
  test.each<[string, SeenRow, boolean, RegExp | undefined]>([
    ['is a claim that its executor has still to start', row(), true, undefined],
    ['is a refusal that is not written yet', row({ state: 'released', ended_at_s: 4 }), true, undefined],
    ['may be older than what is left of the log', ended('succeeded', 3), false, undefined],
    ['cannot have an end', ended('released', 3), true, /says released at offset 3, the log has no record of it/],
    ['cannot run without an executor', row({ epoch: 8 }), true, /no executor runs it/],
  ])('%s', (_, of, isWhole, reason) => {
    const wrong = wrongUnlogged(of, seen().leases, isWhole);
    if (reason) expect(wrong).toMatch(reason);
    else expect(wrong).toBeUndefined();
  });
});
