import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../journeys/api.js';
import { countersign } from '../journeys/cli.js';
import { EmbeddedPlatform } from '../journeys/embedded-platform.js';
import { type Forge, forgeries } from './forgeries.js';
import { forged, HttpLog } from './http-log.js';
import { type Question, strangers } from './stranger.js';

/** Verifiers read up to the earlier checkpoint first, then the rest: each part has several entries. */
const CHECKPOINTS = 4;
/** Before each, so many that some tree grows from one to another. */
const CALLS = 8;
let platform: EmbeddedPlatform;
let auditor: Api;
let question: Question;

interface Proven {
  record: { value: string };
  proof: { tree: { path: string[] }; head: { index: number }; entry: { number: number; path: string[] }; checkpoint: string };
}

const kept = (name: string, content: string): string => {
  const file = path.join(platform.dir, name);
  writeFileSync(file, content);
  return file;
};

/** A checkpoint, once there is one that is not `earlier`. */
async function checkpoint({ query = '', earlier = '' } = {}) {
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(200)) {
    const { status, body, headers } = await auditor.request<string>('GET', `/v1/audit/checkpoint${query}`);
    if (status === 200 && body !== earlier) return { note: body, vkey: headers.get('countersign-vkey') as string };
  }
  throw new Error('there is no such checkpoint');
}

async function provenRecord(call_id: string): Promise<Proven> {
  const place = `topic=tool-executed&partition=${call_id.split('-')[0]}&offset=0`;
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(200)) {
    const { status, body } = await auditor.request<Proven>('GET', `/v1/audit/proof?${place}`);
    if (status === 200) return body;
  }
  throw new Error('no checkpoint covered the record');
}

const write = (name: string) => platform.admin().call({ tool: 'write_file', inputs: { path: name, content: 'x', mode: 'create' } });

/** Makes calls, in several checkpoints; the last of these checkpoints. */
async function checkpoints() {
  let newest = { note: '', vkey: '' };
  for (let n = 0; n < CHECKPOINTS; n++) {
    await Promise.all(Array.from({ length: CALLS }, () => write(`${randomUUID()}.txt`)));
    newest = await checkpoint({ earlier: newest.note });
  }
  return newest;
}

/** Calls in several checkpoints, cosigned by a witness. */
async function witnessedLog(): Promise<void> {
  const folder = path.join(platform.dir, 'witness');
  const witness = (await countersign({}, 'witness', '--new-key', '--dir', folder, '--name', 'witness.example')).output.trim();
  await platform.up({ COUNTERSIGN_AUDIT_WITNESSES: `heads:${witness}` });
  auditor = await platform.admin().keyFor('user', 'audra', ['auditor']);
  const { note, vkey } = await checkpoints();
  await checkpoints();
  const record = await provenRecord((await write('last.txt')).body.call_id);
  const log = ['witness', '--vkey', vkey, '--log', platform.base, '--dir', folder, '--once'];
  const looked = await countersign({ COUNTERSIGN_TOKEN: auditor.key }, ...log);
  expect(looked).toMatchObject({ code: 0, output: expect.stringContaining('cosigned checkpoint') });
  await checkpoint({ query: '?cosigned=true' });
  question = {
    base: platform.base,
    token: auditor.key,
    vkey,
    witnesses: [`heads:${witness}`],
    earlier: kept('earlier.note', note),
    records: [kept('record.json', JSON.stringify(record))],
  };
}

beforeAll(async () => {
  platform = await EmbeddedPlatform.create();
  await witnessedLog();
}, 240_000);
afterAll(() => platform.close());

describe.each(Object.entries(strangers))('a verifier of whole logs in %s', (language, verifier) => {
  test('accepts a real log with its witness, its earlier checkpoint and a record', async () => {
    const { code, output } = await verifier(question);
    expect([code, output]).toEqual([0, expect.stringMatching(/^verified: \d+ entries, \d+ trees, \d+ records\n/)]);
    expect(output).toMatch(/cosigned (at|by)/);
    if (language === 'Go') expect(output).toMatch(/continues checkpoint \d+\nproven: tool-executed\/\d+\/0 under checkpoint \d+\n$/);
  });

  test.each(Object.entries(forgeries))('refuses %s', async (_, [start, forge]) => {
    let acted = 0;
    const only: (path: string, body: Buffer) => Buffer = (asked, body) => {
      if (!asked.startsWith(start)) return body;
      const answer = (forge as Forge)(body);
      if (!answer.equals(body)) acted++;
      return answer;
    };
    const log = await HttpLog.serve(forged(platform.base, auditor.key, only));
    try {
      const { code, output } = await verifier({ ...question, base: log.base });
      expect([acted > 0, code, output]).toEqual([true, 1, expect.stringMatching(/^refused: .{10}|\nrefused: .{10}/)]);
    } finally {
      await log.close();
    }
  });

  test('refuses another key, another witness, a token without rights, and a log that does not answer', async () => {
    const other = question.vkey.replace(/^[^+]+/, (name) => `${name}x`);
    for (const change of [{ token: 'none' }, { base: 'http://127.0.0.1:9' }, { vkey: other }]) {
      const { code, output } = await verifier({ ...question, ...change });
      expect([change, code === 0, output.length > 20]).toEqual([change, false, true]);
    }
  });
});

test('the verifier in Go refuses a record with other bytes, another place, or an earlier entry', async () => {
  const { body } = await auditor.request<Proven>('GET', '/v1/audit/proof?topic=configuration-changed&partition=0&offset=0');
  const edits: Record<string, (proven: Proven) => void> = {
    value: ({ record }) => {
      record.value = Buffer.concat([Buffer.from(record.value, 'base64'), Buffer.of(0)]).toString('base64');
    },
    'base64 with more in it': ({ record }) => {
      record.value = `${record.value}\n`;
    },
    'head index': ({ proof }) => {
      proof.head.index++;
    },
    'entry number': ({ proof }) => {
      proof.entry.number--;
    },
    'tree path': ({ proof }) => {
      proof.tree.path.pop();
    },
    'entry path': ({ proof }) => {
      proof.entry.path.reverse().push(proof.entry.path[0] as string);
    },
    checkpoint: ({ proof }) => {
      proof.checkpoint = proof.checkpoint.replace(/\n\n/, '\nmore\n\n');
    },
  };
  for (const [what, edit] of Object.entries(edits)) {
    const edited = structuredClone(body);
    edit(edited);
    const { code, output } = await strangers.Go({ ...question, records: [kept('edited.json', JSON.stringify(edited))] });
    expect([what, code, output]).toEqual([what, 1, expect.stringContaining('\nrefused: ')]);
  }
});
