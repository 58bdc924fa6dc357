import { describe, expect, test } from 'vitest';
import { type JourneyWorld, order } from './journey-world.js';
import { describeMappedForm, type Reported, secondPerson } from './mapped-form-journeys.js';
import { describeMappedRecord } from './mapped-record-journeys.js';

const definition = {
  inputs: [
    { from: '/reference', to: '/name' },
    { from: '/vendor', to: '/partner_id', lookup: 'vendors' },
    { from: '/cost_center', to: '/x_studio_cost_center' },
    { from: '/ordered_at', to: '/date_order', date: { from: { form: 'iso' }, to: { form: 'YYYY-MM-DD HH:mm:ss' } } },
    {
      from: '/lines',
      to: '/order_line',
      as: 'odoo_one2many',
      each: [
        { from: '/product', to: '/product_id' },
        { from: '/quantity', to: '/product_qty' },
        { from: '/price', to: '/price_unit', decimal: { from: { as: 'number' }, to: { as: 'string', scale: 2 } } },
      ],
    },
    { to: '/total', value: '$sum($document.lines.(price * quantity))', uses: ['/lines'] },
  ],
  results: [
    { from: '/id', to: '/order_id' },
    { from: '/partner_id', to: '/vendor', lookup_back: 'vendors' },
    { from: '/record', to: '/sent', value: '$string($)' },
  ],
  tables: { vendors: { ACME: 17 } },
};

/** Mappings, through the public API. */
export function describeMappings(at: JourneyWorld, author: () => Promise<JourneyWorld['admin']>): void {
  describe('mappings', () => {
    const inputs = (more: object = {}) => ({ reference: `po-${order().account}`, vendor: 'ACME', cost_center: 'R&D', ...more });
    const send = async (more: object = {}) => (await at.agent.call({ tool: 'probe_erp', inputs: inputs(more) })).body as Reported;
    const sentOf = ({ output }: Reported) => JSON.parse(String(output?.sent)) as Record<string, unknown>;
    const { activate, publish } = secondPerson(at);
    const lines = [{ product: 'bolt', quantity: 2, price: 1.5 }];

    test('a published mapping converts in both directions between the agent and the system, and the record names its version', async () => {
      const by = await author();
      expect((await send()).status).toBe('failed');
      const published = await publish(by, '/v1/mappings/probe_erp', definition);
      expect([published.status, published.headers.get('etag')]).toEqual([200, expect.stringMatching(/^"c\d+"$/)]);
      const ran = await send({ ordered_at: '2026-11-22T10:00:00+01:00', lines });
      expect(ran).toMatchObject({ status: 'succeeded', mapping_version: published.body.version, warnings: [] });
      expect(ran.output).toMatchObject({ order_id: 4711, vendor: 'ACME' });
      expect(sentOf(ran)).toMatchObject({
        partner_id: 17,
        x_studio_cost_center: 'R&D',
        date_order: '2026-11-22 09:00:00',
        order_line: [[0, 0, { product_id: 'bolt', product_qty: 2, price_unit: '1.50' }]],
        total: 3,
      });
    });

    test('strict refuses an unmapped field by name and before anything runs; permissive passes it on with a warning', async () => {
      const by = await author();
      const refused = await at.agent.call({ tool: 'probe_erp', inputs: inputs({ note: 'urgent' }) });
      expect([refused.status, refused.body]).toMatchObject([
        422,
        { code: 'VALIDATION_ERROR', validation: { layer: 'mapping', issues: [{ path: '/note', message: 'is not mapped' }] } },
      ]);
      expect(await send({ vendor: 'Initech' })).toMatchObject({
        code: 'VALIDATION_ERROR',
        detail: expect.stringContaining('/vendor "Initech" is not in the table vendors'),
      });
      expect((await by.request('PUT', '/v1/mappings/*', { mode: 'permissive' })).status).toBe(200);
      const passed = await send({ note: 'urgent' });
      expect(passed).toMatchObject({ status: 'succeeded', warnings: ['/note is not mapped and was passed on as it is'] });
      expect(sentOf(passed)).toMatchObject({ note: 'urgent' });
      expect((await by.request('DELETE', '/v1/mappings/*')).status).toBe(204);
    });

    test('a mapping is tested on recorded calls before it is published, kept in a history, and rolled back', async () => {
      const by = await author();
      const [, ...without] = definition.inputs;
      const trial = await by.request<{ inputs: { call_id: string; issues: { path: string }[]; to: unknown }[]; failed: number }>(
        'POST',
        '/v1/mappings:try',
        {
          tool: 'probe_erp',
          definition: { ...definition, inputs: without },
          calls_max: 3,
        },
      );
      expect(trial.status).toBe(200);
      expect(trial.body.inputs.length).toBeGreaterThan(0);
      expect(trial.body.inputs.every(({ call_id, issues }) => call_id !== null && issues.some(({ path }) => path === '/reference'))).toBe(
        true,
      );
      const before = await by.request<{ version: number }>('GET', '/v1/mappings/probe_erp');
      const next = await publish(by, '/v1/mappings/probe_erp', {
        ...definition,
        inputs: [...definition.inputs, { from: '/note', to: '/notes' }],
      });
      expect((await send({ note: 'urgent' })).mapping_version).toBe(next.body.version);
      const stale = await by.request(
        'POST',
        '/v1/mappings/probe_erp/rollback',
        { version: before.body.version },
        { 'if-match': before.headers.get('etag') as string },
      );
      expect(stale.status).toBe(412);
      const back = await by.request<{ version: number; rolled_back_to: number }>('POST', '/v1/mappings/probe_erp/rollback', {
        version: before.body.version,
      });
      expect(back.body).toMatchObject({ version: next.body.version + 1, rolled_back_to: before.body.version });
      await activate('/v1/mappings/probe_erp', back.body.version);
      expect((await send({ note: 'urgent' })).status).toBe(422);
      const history = await by.request<{ items: { version: number }[] }>('GET', '/v1/mappings/probe_erp/versions');
      expect(history.body.items.map(({ version }) => version)).toEqual([back.body.version, next.body.version, before.body.version]);
      const faulty = await by.request('PUT', '/v1/mappings/probe_erp', { inputs: [{ from: '/a', to: '/b', value: '$eval("1")' }] });
      expect([faulty.status, faulty.body]).toMatchObject([
        422,
        { code: 'VALIDATION_ERROR', validation: { layer: 'mapping', issues: [{ path: '/inputs/0' }] } },
      ]);
      expect((await at.agent.request('PUT', '/v1/mappings/probe_erp', definition)).status).toBe(403);
    });

    describeMappedForm(at, author);
    describeMappedRecord(at, author);
  });
}
