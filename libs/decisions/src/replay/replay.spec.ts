import { expect, test } from 'vitest';
import { readReplayBundle } from './replay.js';

const terms = { from_ms: 0, until_ms: 1, allow_for_ms: 1, grant_for_ms: 1 };
const none = { tools: [], calls: [], configuration: [], trust: [], records: [], as_recorded: [], erased: [] };
const text = (more: object): string =>
  JSON.stringify({ format: 'countersign-replay/1', tenant_id: 'a', run_id: 'r', ...none, terms, ...more });
const record = { event_type: 'tool_call_requested', event: { meta: {} }, topic: 't', partition: 0, offset: 0, timestamp_ms: 0 };

test('refuses a file that is not a bundle or has malformed list entries, and names the place', () => {
  expect(readReplayBundle(text({ records: [record] }))).toMatchObject({ tenant_id: 'a' });
  const fault = (more: object) => (readReplayBundle(text(more)) as { fault: string }).fault;
  expect(fault({ format: 'countersign-replay/2' })).toContain('countersign-replay/1');
  expect(fault({ records: undefined })).toBe('/records is missing');
  expect(fault({ records: [record, null] })).toMatch(/^\/records\/1 /);
  expect(fault({ records: [{ ...record, event: {} }] })).toMatch(/^\/records\/0 /);
  expect(fault({ configuration: [7] })).toMatch(/^\/configuration\/0 /);
  expect(fault({ calls: [{ call_id: 'c' }] })).toMatch(/^\/calls\/0 /);
  expect(fault({ erased: [{}] })).toMatch(/^\/erased\/0 /);
  expect(fault({ terms: undefined })).toBe('/terms is missing');
  expect((readReplayBundle('{') as { fault: string }).fault).toContain('not JSON');
});
