import { sampleContract } from '@countersign/calls/testing/samples';
import { contractDigest, contractPin } from '@countersign/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestGateway } from './testing/test-gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.open();
});
afterAll(() => gateway.close());

const until = async (check: () => Promise<boolean>) => {
  for (const end = performance.now() + 10_000; !(await check()); await new Promise((resolve) => setTimeout(resolve, 20)))
    if (performance.now() > end) throw new Error(`not within 10 s: ${check}`);
};
const read = async (path: string) => (await gateway.send('GET', `/v1/tools/${path}`)).body;
const result = (contract_digest: string, failed = 0) => ({
  tool: 'gated',
  version: '1.1.0',
  contract_digest,
  passed: 1,
  failed,
  cases: [
    { title: 'golden', passed: true },
    ...Array.from({ length: failed }, () => ({ title: 'probe', passed: false, message: 'wrote' })),
  ],
  verified_at: '2026-11-22T00:00:00Z',
});

test('a candidate is promoted only with a passed evaluation of its exact contract; until then the previous version is used', async () => {
  const next = sampleContract({ name: 'gated', version: '1.1.0' });
  await gateway.parts.standIn.register(sampleContract({ name: 'gated', version: '1.0.0' }));
  await gateway.parts.standIn.register(next, { gated: true });
  await until(async () => (await read('gated/versions/1.1.0')).lifecycle === 'candidate');
  const promote = (state = 'active') => gateway.send('PUT', '/v1/tools/gated/versions/1.1.0/lifecycle', { state });
  const record = (body: object) => gateway.send('POST', '/v1/tools/gated/versions/1.1.0/evaluations', body);
  const refused = await promote();
  expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('no evaluation')]);
  expect((await promote('deprecated')).status).toBe(409);
  expect((await record(result('0'.repeat(64)))).status).toBe(409);
  expect((await record({ ...result(contractDigest(next)), passed: 2 })).status).toBe(400);
  expect((await record(result(contractDigest(next), 1))).status).toBe(201);
  expect((await promote()).body.detail).toContain('1 of 2 cases');
  expect((await gateway.call('gated')).body.version).toBe('1.0.0');
  expect((await record(result(contractDigest(next)))).status).toBe(201);
  expect((await promote()).status).toBe(200);
  expect((await gateway.call('gated')).body.version).toBe('1.1.0');
  expect(await read('gated/versions/1.1.0')).toMatchObject({
    lifecycle: 'active',
    release: { gate: 'passed', drift: 'ok' },
    eval_pack: { id: 'pack.tool.gated.1.1.0', result: { passed: 1, failed: 0, of_this_contract: true } },
    last_verified_at: '2026-11-22T00:00:00.000Z',
    last_verified: '2026-11-22T00:00:00.000Z',
  });
});

test('a version whose contract drifted is suspended, shown as such, and runs again once the tenant accepts the new contract', async () => {
  const drifted = sampleContract({ name: 'drifting', description: 'Writes a note, and sends it to everybody.' });
  await gateway.parts.standIn.register(sampleContract({ name: 'drifting' }));
  await gateway.parts.standIn.register(drifted);
  await until(async () => (await read('drifting')).versions?.[0].lifecycle === 'suspended');
  const accept = (pin: string) => gateway.send('PUT', '/v1/tools/drifting/versions/1.2.0/pin', { pin });
  expect((await accept(contractPin(sampleContract({ name: 'drifting' })))).status).toBe(409);
  expect((await gateway.send('PUT', '/v1/tools/drifting/versions/1.2.0/lifecycle', { state: 'active' })).status).toBe(409);
  expect((await accept(contractPin(drifted))).body).toMatchObject({ lifecycle: 'active', release: { drift: 'ok' } });
  expect((await gateway.call('drifting')).body.status).toBe('succeeded');
});

test('a refused registration is shown with its exact differences', async () => {
  const narrow = { ...sampleContract().input_schema, required: ['path', 'text', 'note'] };
  await gateway.parts.standIn.register(sampleContract({ name: 'narrowing' }));
  await gateway.parts.standIn.register(sampleContract({ name: 'narrowing', version: '1.3.0', input_schema: narrow }));
  await until(async () => (await read('narrowing')).refused_registrations?.length === 1);
  const tool = await read('narrowing');
  expect(tool.versions.map(({ version }: { version: string }) => version)).toEqual(['1.2.0']);
  expect(tool.refused_registrations[0]).toMatchObject({
    version: '1.3.0',
    against: '1.2.0',
    differences: [{ pointer: '/input_schema/required', allowed: 'wider', message: expect.stringContaining('note') }],
  });
});

test('only the installation pins an adapter in an environment, and mismatching versions are suspended', async () => {
  const runs_on = { environment: 'production', adapter: 'erp', adapter_version: '1.0.0', protocol_version: null };
  await gateway.parts.standIn.register(sampleContract({ name: 'adapted' }), runs_on);
  await until(async () => (await read('adapted')).versions?.[0].lifecycle === 'active');
  const pin = (adapter_version: string | null) => gateway.send('PUT', '/v1/adapters/erp/environments/production', { adapter_version });
  expect((await pin('1.1.0')).status).toBe(200);
  expect((await read('adapted/versions/1.2.0')).release.drift).toContain('pinned to 1.1.0');
  expect((await gateway.send('GET', '/v1/adapters')).body.items).toMatchObject([
    { environment: 'production', adapter: 'erp', adapter_version: '1.1.0' },
  ]);
  expect((await pin(null)).status).toBe(200);
  expect((await read('adapted/versions/1.2.0')).lifecycle).toBe('active');
});

test('a search ranks matching tools and omits inactive ones', async () => {
  await gateway.parts.standIn.register(
    sampleContract({
      name: 'query_ledger',
      capabilities: ['data.query.sql'],
      sla: { p50_ms: 10, p95_ms: 50, p99_ms: 90, availability: 1 },
    }),
  );
  await gateway.parts.standIn.register(
    sampleContract({
      name: 'query_slowly',
      capabilities: ['data.query.graph'],
      sla: { p50_ms: 900, p95_ms: 1900, p99_ms: 2900, availability: 1 },
    }),
  );
  await until(async () => (await read('query_slowly')).name === 'query_slowly');
  const search = async (query: string) => (await gateway.send('GET', `/v1/tools:search?${query}`)).body;
  expect((await search('capabilities=data.query')).items.map(({ name }: { name: string }) => name)).toEqual([
    'query_ledger',
    'query_slowly',
  ]);
  expect((await search('capabilities=data.query&max_latency_ms=100')).items).toHaveLength(1);
  expect((await search('q=note&limit=2')).items).toHaveLength(2);
  expect((await gateway.send('GET', '/v1/tools:search?version=latest')).status).toBe(400);
});
