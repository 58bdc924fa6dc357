import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api, Envelope } from '../journeys/api.js';
import { freePort } from '../journeys/child-process.js';
import { EmbeddedPlatform } from '../journeys/embedded-platform.js';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const petstore = path.join(root, 'test/openapi/documents/petstore.yaml');
let prism: ChildProcess;
let platform: EmbeddedPlatform;
let agent: Api;

/** Prism answers as the document says, and refuses requests that do not fit it. */
beforeAll(async () => {
  const program = execFileSync('bash', ['scripts/real/prism.sh'], { cwd: root, encoding: 'utf8' }).trim();
  const port = await freePort();
  prism = spawn(process.execPath, [program, 'mock', '--host', '127.0.0.1', '--port', String(port), '--errors', petstore], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((listening, failed) => {
    prism.stdout?.on('data', (text: Buffer) => text.includes('is listening') && listening());
    prism.once('exit', (code) => failed(new Error(`Prism ended with ${code}`)));
  });
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_PACKS: 'workspace', COUNTERSIGN_TOOL_ENDPOINTS_PRIVATE: `127.0.0.1:${port}` });
  const admin = platform.admin();
  const document = readFileSync(petstore, 'utf8');
  const imported = await admin.request('POST', '/v1/openapi-imports', { name: 'pets', document, base_url: `http://127.0.0.1:${port}` });
  expect(imported).toMatchObject({ status: 201, body: { skipped: [], announced: 19 } });
  for (const name of ['petstore_auth', 'api_key'])
    await admin.request('PUT', `/v1/secrets/workspace/pets.${name}`, { value: `secret-of-${name}` });
  await admin.request('PUT', '/v1/policies/tools/*', { tier: 'tier_1_auto' });
  agent = await admin.keyFor('agent', 'agent-1', ['agent']);
});
afterAll(async () => {
  await platform?.close();
  prism?.kill();
});

test.each<[tool: string, inputs: object, output: object]>([
  ['find_pets_by_status', { status: 'available' }, { status: 200, body: expect.any(Array) }],
  ['find_pets_by_tags', { tags: ['a', 'b'] }, { status: 200 }],
  ['get_pet_by_id', { petId: 7 }, { status: 200, body: { name: expect.any(String) } }],
  ['add_pet', { name: 'Rex', photoUrls: ['https://example.com/rex.png'], status: 'available' }, { status: 200 }],
  ['update_pet_with_form', { petId: 7, name: 'Rex', status: 'sold' }, { status: 200 }],
  ['delete_pet', { petId: 7 }, { status: 200 }],
  ['place_order', { petId: 7, quantity: 1, status: 'placed' }, { status: 200, body: { petId: expect.any(Number) } }],
  ['get_inventory', {}, { status: 200 }],
  ['create_user', { id: 1, username: 'ann' }, { status: 200 }],
])('%s is requested as the document says: Prism takes it, and its answer fits', async (tool, inputs, output) => {
  const answered = await agent.request<Envelope>(
    'POST',
    '/v1/calls',
    { tool: `pets__${tool}`, inputs, context: {} },
    { prefer: 'wait=30' },
  );
  expect(answered.body).toMatchObject({ status: 'succeeded', output });
});
