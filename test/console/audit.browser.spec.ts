import { signCheckpoint } from '@countersign/proofs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Envelope } from '../journeys/api.js';
import { AuditWorld, STRANGER } from './audit-world.js';
import { LOOKS } from './browser.js';
import { expectSound, screenshot } from './sound-page.js';

let world: AuditWorld;
let case_id: string;
let call: Envelope;
beforeAll(async () => {
  world = await AuditWorld.start();
  ({ case_id, call } = await world.provenCase());
  await world.cosign();
}, 120_000);
afterAll(() => world?.close());

const outcome = (page: Page) => page.getByRole('region', { name: 'Outcome' }).or(page.locator('.audit-verdict'));
const step = (page: Page, title: string) => page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: title }) });

/** What the gateway answers, changed on its way by an attacker. */
async function forge(page: Page, route: string, change: (answer: never) => unknown): Promise<void> {
  await page.route(`**/v1/audit/${route}*`, async (request) => {
    const response = await request.fetch();
    const text = await response.text();
    const answer = text.startsWith('{') ? JSON.stringify(change(JSON.parse(text) as never)) : (change(text as never) as string);
    await request.fulfill({ response, body: answer });
  });
}

describe('evidence that the gateway sends', () => {
  test.each(LOOKS)('a case is proven step by step under pinned keys and a witness, on a %s in %s', async (viewport, theme) => {
    const observed = await world.page({ viewport, theme, pins: world.pins({ with_witness: true }) });
    const { page } = observed;
    await page.goto(`/audit?case=${case_id}`);
    await page.getByRole('heading', { name: 'Verified', exact: true }).waitFor();
    await step(page, 'Witnesses').getByText('would have noticed a rewritten record').waitFor();
    await page.getByText('witness.example saw this checkpoint').waitFor();
    await step(page, 'Records of the case').getByText('in the signed tree of cases').waitFor();
    await page.getByText(/What came after cut \d+: up to there all \d+ records of the case are in the file/).waitFor();
    expect(await page.getByText('Not reached').count()).toBe(0);
    await expectSound(observed);
    await screenshot(observed, `audit-case-${viewport}-${theme}`, { whole: true });
  });

  test('the pages of a call and a case lead to it', async () => {
    const { page } = await world.page({ pins: world.pins() });
    await page.goto(`/calls/${call.call_id}`);
    await page.getByRole('link', { name: 'Verify' }).click();
    await page.getByRole('heading', { name: 'Verified', exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe(`?call=${call.call_id}`);
    await page.goto(`/cases/${case_id}`);
    await page.getByRole('link', { name: 'Verify' }).click();
    await page.getByRole('heading', { name: 'Verified', exact: true }).waitFor();
  });

  test('without a pinned key it says so, and pinning the right one ends that', async () => {
    const observed = await world.page();
    const { page } = observed;
    await page.goto('/audit');
    await page.getByLabel('Call, case, event or record').fill(call.call_id);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('heading', { name: 'Consistent, but the key is not pinned' }).waitFor();
    await step(page, 'Key of the log').getByText('comes from the same server').waitFor();
    await page.getByText('Who holds the key').waitFor();
    await expectSound(observed);
    await screenshot(observed, 'audit-unpinned', { whole: true });
    await page.getByRole('button', { name: 'Pin keys' }).click();
    await page.getByLabel('Trust file, or the key of the log').fill('nonsense');
    await page.getByRole('button', { name: 'Pin', exact: true }).click();
    await page.getByText('nonsense is not a key').waitFor();
    await expectSound(observed);
    await screenshot(observed, 'audit-pin');
    await page.getByLabel('Trust file, or the key of the log').fill(world.vkey);
    await page.getByRole('button', { name: 'Pin', exact: true }).click();
    await page.getByRole('heading', { name: 'Verified', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Verified', exact: true }).waitFor();
  });

  test('a changed byte of a record is refused at the records', async () => {
    const observed = await world.page({ pins: world.pins() });
    const { page } = observed;
    await forge(page, 'bundle', (bundle: { records: { value: string }[] }) => {
      const record = bundle.records[3] as { value: string };
      record.value = changedByte(record.value);
      return bundle;
    });
    await page.goto(`/audit?call=${call.call_id}`);
    await outcome(page).getByText('Refused at step 7').waitFor();
    await outcome(page).getByText('the record differs from what the checkpoint covers').waitFor();
    expect(await page.getByText('Not reached').count()).toBeGreaterThan(0);
    await expectSound(observed);
    await screenshot(observed, 'audit-refused', { whole: true });
  });

  test('a vote that the records do not say is refused at the shown states', async () => {
    const { page } = await world.page({ pins: world.pins() });
    await forge(page, 'bundle', (bundle: { calls: { votes: { by: string }[] }[] }) => {
      for (const { votes } of bundle.calls) for (const vote of votes) vote.by = 'user:someone-else';
      return bundle;
    });
    await page.goto(`/audit?call=${call.call_id}`);
    await outcome(page).getByText('Shown states of calls', { exact: false }).waitFor();
  });

  test('true evidence of another call, or of another record, is no answer', async () => {
    const { page } = await world.page({ pins: world.pins() });
    const other = await world.records.call('probe_read', {});
    const evidence = await world.waitEvidence(`call_id=${other.call_id}`);
    await forge(page, 'bundle', () => JSON.parse(evidence));
    await page.goto(`/audit?call=${call.call_id}`);
    await outcome(page).getByText('evidence of something else', { exact: false }).waitFor();
    const { items } = (await world.records.you.request<Listed>('GET', `/v1/audit/events?call_id=${call.call_id}`)).body;
    const [first, second] = items.map(({ event_id }) => event_id);
    await page.goto(`/audit?event=${first}`);
    await page.getByRole('heading', { name: 'Verified', exact: true }).waitFor();
    await page.route('**/v1/audit/proof*', (route) =>
      route.continue({
        url: route
          .request()
          .url()
          .replace(first as string, second as string),
      }),
    );
    await page.goto(`/audit?event=${first}`);
    await outcome(page).getByText('the record of another event', { exact: false }).waitFor();
  });

  test('a call without evidence for this person, and a gateway that does not answer, are said in words', async () => {
    const { page } = await world.page({ pins: world.pins(), expected: /audit/ });
    await page.goto(`/audit?call=${call.call_id.slice(0, -4)}0000`);
    await page.getByText('The call or case does not exist', { exact: false }).waitFor();
    await page.route('**/v1/audit/**', (route) => route.abort());
    await page.goto(`/audit?call=${call.call_id}`);
    await page.getByRole('heading', { name: 'No connection', exact: true }).waitFor();
    await page.unroute('**/v1/audit/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Verified', exact: true }).waitFor();
  });
});

describe('one record with its proof', () => {
  let place: string;
  beforeAll(async () => {
    const { body } = await world.records.you.request<{ items: { topic: string; partition: number; offset: number }[] }>(
      'GET',
      `/v1/audit/events?call_id=${call.call_id}`,
    );
    const { topic, partition, offset } = body.items[0] as (typeof body.items)[number];
    place = `${topic}/${partition}/${offset}`;
  });

  const verify = async (change?: (page: Page) => Promise<void>, pins = world.pins()) => {
    const observed = await world.page({ pins });
    await change?.(observed.page);
    await observed.page.goto(`/audit?record=${encodeURIComponent(place)}`);
    await outcome(observed.page).waitFor();
    return observed;
  };

  test('is proven: leaf, path, trees, last entry, root', async () => {
    const observed = await verify();
    const { page } = observed;
    await page.getByRole('heading', { name: 'Verified', exact: true }).waitFor();
    await step(page, 'Root that is signed').getByText('Values').click();
    const [computed, signed] = await step(page, 'Root that is signed').locator('dd').allInnerTexts();
    expect(computed).toBe(signed);
    expect(computed).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    await expectSound(observed);
    await screenshot(observed, 'audit-record', { whole: true });
  });

  test.each([
    [
      'a forged record',
      'Root that is signed',
      (answer: Proven) => ({ ...answer, record: { ...answer.record, value: changedByte(answer.record.value) } }),
    ],
    ['another time of a record', 'Root that is signed', (answer: Proven) => ({ ...answer, record: { ...answer.record, timestamp_ms: 1 } })],
    [
      'a truncated path',
      'Place among all partitions',
      (answer: Proven) => ({
        ...answer,
        proof: { ...answer.proof, head: { ...answer.proof.head, path: answer.proof.head.path.slice(1) } },
      }),
    ],
    [
      'an earlier entry',
      'Last entry of the checkpoint',
      (answer: Proven) => ({ ...answer, proof: { ...answer.proof, entry: { ...answer.proof.entry, number: 0 } } }),
    ],
    [
      'a forged signature',
      'Signature of the checkpoint',
      (answer: Proven) => ({ ...answer, proof: { ...answer.proof, checkpoint: otherSignature(answer.proof.checkpoint) } }),
    ],
    ["another installation's key", 'Key of the log', (answer: Proven) => ({ ...answer, vkey: STRANGER.verifier.vkey })],
  ])('%s is refused at “%s”', async (_, title, change) => {
    const { page } = await verify((target) => forge(target, 'proof', change as never));
    await page.getByRole('heading', { name: 'Refused' }).waitFor();
    await step(page, title).getByText('Failed', { exact: true }).waitFor();
    await outcome(page).getByText(title, { exact: false }).first().waitFor();
  });

  test('a checkpoint that another log signed is refused, whatever key the server names', async () => {
    const note = signCheckpoint({ size: 12, root: Buffer.alloc(32, 1) }, STRANGER);
    const { page } = await verify((target) =>
      forge(target, 'proof', ((answer: Proven) => ({ ...answer, proof: { ...answer.proof, checkpoint: note } })) as never),
    );
    await step(page, 'Signature of the checkpoint').getByText('Failed', { exact: true }).waitFor();
  });

  test('without the key that was pinned, the log of this server is not accepted', async () => {
    const observed = await verify(undefined, JSON.stringify({ log: STRANGER.verifier.vkey, witnesses: [] }));
    const { page } = observed;
    await page.getByRole('heading', { name: 'The log of this server is not verified' }).waitFor();
    await step(page, 'Key of the log').getByText('you did not pin it', { exact: false }).waitFor();
    await expectSound(observed);
  });
});

interface Listed {
  items: { event_id: string }[];
}

interface Proven {
  record: { value: string };
  proof: { head: { path: string[] }; entry: object; checkpoint: string };
}

/** The same bytes with one of them changed. */
function changedByte(value: string): string {
  const bytes = Buffer.from(value, 'base64');
  const at = bytes.length - 1;
  bytes[at] = (bytes[at] as number) ^ 1;
  return bytes.toString('base64');
}

/** The same note with one bit of its signature changed. */
function otherSignature(note: string): string {
  const [text, name, signature = ''] = /^([\s\S]*\n)(— \S+ )(\S+)\n$/.exec(note)?.slice(1) ?? [];
  return `${text}${name}${changedByte(signature)}\n`;
}
