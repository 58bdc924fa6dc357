import { expect, test } from 'vitest';
import { driftOf } from './drift.js';

const event = (event_id: string, detail: unknown) => ({
  event_id,
  kind: 'upstream_tool_changed',
  detail: typeof detail === 'string' ? detail : JSON.stringify(detail),
  call_id: null,
  times: 1,
  principal: null,
  at: '2026-01-01T00:00:00.000Z',
});

test('the changes of one upstream are read; others, and what is no JSON of a change, are left out', () => {
  const said = { upstream: 'files', tool: 'read', name: 'files__read', state: 'suspended', why: 'its schemas refuse' };
  const events = [
    event('1', said),
    event('2', { ...said, upstream: 'others' }),
    event('3', '{"upstream":"files","tool":'),
    event('4', 'null'),
    event('5', { ...said, tool: 7 }),
    event('6', { ...said, why: null }),
  ];
  expect(driftOf(events, 'files').map(({ event_id, tool, state, why }) => [event_id, tool, state, why])).toEqual([
    ['1', 'read', 'suspended', 'its schemas refuse'],
    ['6', 'read', 'suspended', ''],
  ]);
});
