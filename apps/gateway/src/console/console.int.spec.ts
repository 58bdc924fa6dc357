import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FeatureApp } from '../testing/feature-app.js';
import { ConsoleController } from './console.controller.js';
import { ConsoleSite } from './console-site.js';

class TestConsoleModule {}

const folder = mkdtempSync(path.join(tmpdir(), 'countersign-site-'));
mkdirSync(path.join(folder, 'assets'));
const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
write('index.html', '<!doctype html><title>console</title>');
write('secret.txt', 'secret');
write('assets/main-1.js', 'plain script');
write('assets/main-1.js.br', 'brotli');
write('assets/main-1.js.gz', 'gzip');
write('assets/main-1.css', 'body {}');
write('assets/notes.txt', 'no asset');
afterAll(() => rmSync(folder, { recursive: true }));

const open = (site: ConsoleSite) =>
  FeatureApp.open(
    [{ module: TestConsoleModule, controllers: [ConsoleController], providers: [{ provide: ConsoleSite, useValue: site }] }],
    [],
  );

let app: FeatureApp;
beforeAll(async () => {
  app = await open(ConsoleSite.read(folder));
});
afterAll(() => app.close());

const get = (url: string, headers: Record<string, string> = {}) => app.send('GET', url, { headers });

describe('the console', () => {
  test.each(['/', '/approvals', '/approvals/7-abc', '/calls?q=x', '/cases/ext%3APO%2F1', '/tools/write_file', '/sign-in', '/settings'])(
    '%s shows the page under a strict policy',
    async (url) => {
      const { status, headers, text } = await get(url);
      expect([status, text]).toEqual([200, '<!doctype html><title>console</title>']);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      });
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
    },
  );

  test.each(['/approval', '/approvals/a/b', '/console', '/console/', '/index.html', '/sign-in/x', '/unknown'])(
    '%s is no page of the console',
    async (url) => {
      expect((await get(url)).status).toBe(404);
    },
  );

  test.each([
    ['/console/assets/main-1.js', undefined, 'plain script'],
    ['/console/assets/main-1.js', 'gzip', 'gzip'],
    ['/console/assets/main-1.js', 'gzip, deflate, br', 'brotli'],
    ['/console/assets/main-1.js', 'br;q=0, gzip;q=0.5', 'gzip'],
    ['/console/assets/main-1.js', 'identity', 'plain script'],
    ['/console/assets/main-1.css', 'br', 'body {}'],
  ])('%s with Accept-Encoding %s is %s, and is kept for ever', async (url, encoding, text) => {
    const answer = await get(url, encoding ? { 'accept-encoding': encoding } : {});
    expect([answer.status, answer.text]).toEqual([200, text]);
    expect(answer.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    });
    expect(answer.headers['content-type']).toBe(url.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8');
  });

  test.each([
    '/console/assets/..%2fsecret.txt',
    '/console/assets/%2e%2e%2fsecret.txt',
    '/console/assets/..%5csecret.txt',
    '/console/assets/%00',
    '/console/assets/__proto__',
    '/console/assets/constructor',
    '/console/assets/notes.txt',
    '/console/assets/main-1.js.br',
    '/console/assets/main-2.js',
    '/console/secret.txt',
  ])('%s is no file of the console', async (url) => {
    const answer = await get(url);
    expect(answer.status).toBe(404);
    expect(answer.headers['cache-control'] ?? '').not.toContain('immutable');
  });
});

test('a gateway whose console was not built says what to run, and links to the documentation', async () => {
  const unbuilt = await open(ConsoleSite.read(path.join(folder, 'not-there')));
  const { status, text, headers } = await unbuilt.send('GET', '/approvals');
  expect([status, text.includes('npm run console'), text.includes('href="/docs"')]).toEqual([200, true, true]);
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  await unbuilt.close();
});
