import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { forgeRecord } from '@countersign/event-log/testing/forged-journal';
import type { Bundle } from '@countersign/evidence';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';

let platform: EmbeddedPlatform;
let auditor: Api;

async function bundleOf(call_id: string): Promise<Bundle> {
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(200)) {
    const { status, body } = await auditor.request<Bundle>('GET', `/v1/audit/bundle?call_id=${call_id}`);
    if (status === 200) return body;
  }
  throw new Error(`no checkpoint covers ${call_id}`);
}

beforeAll(async () => {
  platform = await EmbeddedPlatform.create();
  await platform.up();
  auditor = await platform.admin().keyFor('user', 'audra', ['auditor']);
});
afterAll(() => platform.close());

test('a record replaced in the journal, with a corrected checksum, is a security event at the next start', async () => {
  const { body: call } = await platform.admin().call({ tool: 'write_file', inputs: { path: 'a.txt', content: 'honest', mode: 'create' } });
  const { records } = await bundleOf(call.call_id);
  const { topic, partition, offset } = records.find(({ event_type }) => event_type === 'tool_call_requested') as Bundle['records'][number];
  await platform.process.stop();
  await forgeRecord(path.join(platform.dataDir, 'log'), { topic, partition, offset }, (value) => {
    value.write('forged', value.indexOf('honest'));
  });
  await platform.up();
  await platform.process.until('accused', async () => platform.process.output.includes('"event":"damage_found"'));
  expect(platform.process.output).toContain('"found_by":"start"');
  const reportedDamage = async () => {
    const listed = await auditor.request<{ items: { event_id: string }[] }>(
      'GET',
      '/v1/audit/events?type=security_event_recorded&limit=500',
    );
    const each = await Promise.all(listed.body.items.map(({ event_id }) => auditor.request<object>('GET', `/v1/audit/events/${event_id}`)));
    return each.map(({ body }) => JSON.stringify(body)).join('\n');
  };
  for (const end = performance.now() + 20_000; performance.now() < end && !(await reportedDamage()).includes(`record ${offset} of`); )
    await sleep(200);
  expect(await reportedDamage()).toContain(`record ${offset} of ${topic}/${partition}`);
});
