import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Envelope } from './api.js';
import type { JourneyWorld } from './journey-world.js';

const pureCalls: [tool: string, inputs: Record<string, unknown>, output: Record<string, unknown>][] = [
  [
    'extract_property',
    { source: { source_id: 'm', media_type: 'text/plain', content: 'Total: 12.50' }, hints: { label: 'total', type: 'decimal' } },
    { value: '12.50', evidence: { start: 7, end: 12, text: '12.50' }, exceptions: [] },
  ],
  ['lookup_record', { identifier: 'HR', source: 'countries', as_of: '2022-06-01T00:00:00Z' }, { record: { fields: { currency: 'HRK' } } }],
  [
    'validate_invoice',
    {
      candidate: {
        number: '1',
        total: '0.3',
        currency: 'EUR',
        lines: [
          { text: 'a', amount: '0.1' },
          { text: 'b', amount: '0.2' },
        ],
      },
      rule_pack: 'invoice@1.1.0',
    },
    { verdict: 'pass' },
  ],
  ['classify_document', { subject: { source_id: 'd', media_type: 'text/plain', content: 'Delivery note 7' } }, { band: 'delivery_note' }],
  [
    'compose_letter',
    { parts: { recipient: { name: 'Ada' }, reference: 'C-1', subject: 's', paragraphs: ['p'], signatory: 'O' }, template: 'formal@1' },
    { state: 'draft' },
  ],
  ['convert_amount', { value: '1', from: 'mi', to: 'km', source: 'length-1959' }, { value: '1.609344', exact: true }],
  ['search_corpus', { query: 'glass claim', corpus: 'handbook', k: 1 }, { spans: [{ source_id: 'handbook/claims.md', start: 10 }] }],
];

/** One tool of each of the ten patterns, called as agents call them. */
export function describePatternJourneys(at: JourneyWorld): void {
  const call = (tool: string, inputs: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    at.agent.call({ tool, inputs, context: { purpose: 'reference' }, ...more });

  describe('the ten patterns', () => {
    test.each(pureCalls)('%s answers what its pattern promises', async (tool, inputs, output) => {
      const answer = await call(tool, inputs);
      expect(answer.body).toMatchObject({ name: tool, status: 'succeeded', error: null });
      expect(answer.body.output).toMatchObject(output);
    });

    test('an intent is staged once for any number of requests and needs approval; the contract declares undo', async () => {
      const inputs = { kind: 'create_record', target_system: 'erp', payload: { summary: 'One' } };
      const header = { 'idempotency-key': 'stage-one' };
      const [first, second] = await Promise.all([
        at.agent.call({ tool: 'stage_action', inputs }, header),
        at.agent.call({ tool: 'stage_action', inputs }, header),
      ]);
      expect(first.body).toMatchObject({ status: 'succeeded' });
      expect(second.body.output).toEqual(first.body.output);
      const { action_id } = first.body.output as { action_id: string };
      expect(action_id).toBe(`act_${first.body.idempotency_key}`);
      const staged = path.join(at.platform.records, 'default', 'actions');
      expect(readdirSync(staged)).toEqual([`${first.body.idempotency_key}.json`]);
      expect(JSON.parse(readFileSync(path.join(staged, `${first.body.idempotency_key}.json`), 'utf8'))).toEqual(first.body.output);
      const submitted = await call('request_approval', {
        subject: { kind: 'action', id: action_id },
        queue: 'payments',
        rationale: 'check it',
      });
      expect(submitted.body.output).toMatchObject({ state: 'open', queue: 'payments', subject: { id: action_id } });
      expect(readdirSync(path.join(at.platform.records, 'default', 'tasks'))).toHaveLength(1);
    });

    test('a metric over marked objects is marked, and callers without clearance get neither it nor a marked corpus', async () => {
      const cleared = await at.admin.keyFor('agent', 'analyst-1', ['agent'], 'default', ['internal', 'pii.medium']);
      const window = { from: '2026-09-01T00:00:00Z', to: '2026-10-01T00:00:00Z' };
      const measured = { tool: 'aggregate_objects', inputs: { query: { collection: 'claims', field: 'paid' }, window, operation: 'sum' } };
      expect((await at.agent.call(measured)).body).toMatchObject({ status: 'denied', error: { code: 'POLICY_DENIED' } });
      expect((await cleared.call(measured)).body.output).toMatchObject({
        metric: '2760.75',
        objects: 2,
        markings: ['internal', 'pii.medium'],
      });
      const searched = { tool: 'search_corpus', inputs: { query: 'injured', corpus: 'claims_notes' } };
      expect((await cleared.call(searched)).body.output).toMatchObject({
        spans: [{ source_id: 'claims_notes/notes.md' }],
        markings: ['pii.medium'],
      });
    });

    test.each([
      ['lookup_record', { identifier: 'XX', source: 'countries' }, 'PROVIDER_ERROR', 'lookup.not_found'],
      ['lookup_record', { identifier: 'DE', source: 'nowhere' }, 'PROVIDER_ERROR', 'lookup.source_unavailable'],
      [
        'classify_document',
        { subject: { source_id: 'd', media_type: 'text/plain', content: 'Hello.' } },
        'VALIDATION_ERROR',
        'classify.out_of_distribution',
      ],
      ['search_corpus', { query: 'injured', corpus: 'claims_notes' }, 'POLICY_DENIED', 'search.insufficient_clearance'],
    ])('%s refuses with a typed exception', async (tool, inputs, code, exception) => {
      const { body } = await call(tool, inputs);
      expect(body).toMatchObject({ status: 'failed', output: null, error: { code } });
      expect((body as Envelope).error).toMatchObject({ details: { exception } });
    });
  });
}
