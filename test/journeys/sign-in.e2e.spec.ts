import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { Browser } from '@countersign/gateway/testing/browser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countersign } from './cli.js';
import { EmbeddedPlatform } from './embedded-platform.js';

let platform: EmbeddedPlatform;
beforeAll(async () => {
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_LOG_LEVEL: 'trace' });
});
afterAll(() => platform?.close());

const LINK = /http:\/\/127\.0\.0\.1:\d+\/sign-in#link=(csl_[\w-]{43})/;
const port = () => Number(new URL(platform.base).port);

/** Every file below a folder. */
const files = (dir: string): string[] =>
  readdirSync(dir).flatMap((name) => {
    const file = path.join(dir, name);
    return statSync(file).isDirectory() ? files(file) : [file];
  });

test('the first start prints a link that signs you in, the command makes another, and no secret is logged or stored', async () => {
  const [first, second, third] = [new Browser(port()), new Browser(port()), new Browser(port())];
  const printed = LINK.exec(platform.process.output)?.[1] as string;
  expect((await first.send('POST', '/v1/session:link', { body: { token: printed } })).body.principal.id).toBe('you');
  const env = { COUNTERSIGN_DATA_DIR: platform.dataDir, COUNTERSIGN_PORT: String(port()) };
  const { code, output } = await countersign(env, 'sign-in-link');
  const made = LINK.exec(output)?.[1] as string;
  expect([code, made === printed]).toEqual([0, false]);
  expect((await second.send('POST', '/v1/session:link', { body: { token: made } })).status).toBe(200);
  expect((await third.send('POST', '/v1/session:link', { body: { token: made } })).status).toBe(401);
  expect((await countersign({ ...env, COUNTERSIGN_KEY: `csk_${'x'.repeat(43)}` }, 'sign-in-link')).code).toBe(1);

  const key = readFileSync(path.join(platform.dataDir, 'admin.key'), 'utf8').trim();
  const { body } = await third.signIn(key);
  await third.send('POST', '/v1/cases', { body: {} });
  await third.send('POST', '/v1/session:end-all');
  const cookies = [first, second].map((browser) => browser.jar.get('countersign') as string);
  await platform.process.stop();
  const logged = platform.process.output.replace(LINK, '').replace(key, '');
  const places: [string, string][] = [['output', logged]];
  for (const file of files(platform.dataDir)) if (!file.endsWith('admin.key')) places.push([file, readFileSync(file, 'latin1')]);
  const secrets = [printed, made, key, body.request_token as string, ...cookies];
  expect(places.flatMap(([place, text]) => secrets.filter((secret) => text.includes(secret)).map(() => place))).toEqual([]);
  expect(places.some(([, text]) => text.includes('by link '))).toBe(true);
});
