import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CallBody, Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';

const readme = readFileSync('README.md', 'utf8');

/** The fenced block that follows a marker comment. */
function block(marker: string): string {
  const match = new RegExp(`<!-- ${marker}[^>]*-->\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(readme);
  if (!match) throw new Error(`README.md has no block after <!-- ${marker} -->`);
  return match[1] as string;
}

/** What differs from one run to the next, by its kind. */
function masked(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(item));
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item, key)]));
  if (/_id$|^idempotency_key$/.test(name) && typeof value === 'string') return 'id';
  if (name === 'agent_token_ref' && typeof value === 'string') return value.split(':')[0];
  if (/^t_|^freshness$/.test(name) && typeof value === 'string') return 'time';
  if (/_ms$/.test(name) && typeof value === 'number') return 'ms';
  return value;
}

let platform: EmbeddedPlatform;
beforeAll(async () => {
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_PACKS: 'workspace,git,patterns' });
}, 60_000);
afterAll(() => platform.close());

test("the README's call gets the README's answer, and again the same with deduplicated true", async () => {
  const sent = JSON.parse(/-d '([^']+)'/.exec(block('readme-call'))?.[1] as string) as CallBody;
  const promised = JSON.parse(block('readme-answer')) as Envelope;
  const first = await platform.admin().call(sent);
  expect(first.status).toBe(200);
  expect(masked(first.body)).toEqual(masked(promised));
  expect(readFileSync(`${platform.workspace}/hello.txt`, 'utf8')).toBe('hello');
  const again = await platform.admin().call(sent);
  expect(again.body).toMatchObject({ status: 'succeeded', deduplicated: true, output: first.body.output });
});
