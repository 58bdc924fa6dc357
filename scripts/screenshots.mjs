// npm run screenshots: makes docs/images/*.webp of the console with the data of the demo, in an installation of its own that it removes.
// Needs a build, the console and Chromium (COUNTERSIGN_TEST_BROWSER). With names as arguments it makes only those.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { fillDemo } from '../apps/cli/dist/demo/fill-demo.js';
import { OwnInstallation } from '../apps/cli/dist/demo/own-installation.js';

const SHOTS = [
  { name: 'inbox', size: 'laptop', theme: 'light', page: (told) => told('a payment to a new supplier'), ready: 'Pay 640 EUR' },
  { name: 'inbox-phone', size: 'phone', theme: 'light', page: (told) => told('a payment to a new supplier'), ready: 'Pay 640 EUR' },
  { name: 'case', size: 'laptop', theme: 'light', page: (told) => told('the case with all payments'), ready: 'Timeline' },
  { name: 'call', size: 'laptop', theme: 'light', page: (told) => told('an order of a courier is in doubt'), ready: 'In doubt' },
  { name: 'tool', size: 'laptop', theme: 'light', page: () => '/tools/demo_pay_supplier', ready: 'Contract' },
  { name: 'saga', size: 'laptop', theme: 'dark', page: (told) => told('a saga that took its flight back'), ready: 'Steps' },
  { name: 'health', size: 'laptop', theme: 'light', page: () => '/health', ready: 'The gateway takes requests.' },
  { name: 'home', size: 'laptop', theme: 'dark', page: () => '/', ready: 'Latest calls' },
];

const SIZES = { phone: { width: 390, height: 844 }, laptop: { width: 1280, height: 800 } };
const BYTES_MAX = 150_000;
const QUALITIES = [90, 80, 70, 60];
const ROLES = ['approver', 'operator', 'auditor', 'policy_admin'];
const IMAGES = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '../docs/images');

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

async function keyOfYou({ url, admin_key }) {
  const body = JSON.stringify({ principal: { kind: 'user', id: 'you', roles: ROLES } });
  const headers = { authorization: `Bearer ${admin_key}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}/v1/keys`, { method: 'POST', headers, body });
  if (response.status !== 201) throw new Error(`POST /v1/keys answered ${response.status}`);
  return (await response.json()).key;
}

/** The smallest loss that keeps the image below its bound. */
async function compressed(page, name) {
  const session = await page.context().newCDPSession(page);
  for (const quality of QUALITIES) {
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
    const bytes = Buffer.from(data, 'base64');
    if (bytes.length <= BYTES_MAX) return bytes;
  }
  throw new Error(`${name} is over ${BYTES_MAX} bytes: show less`);
}

async function shoot(browser, base, key, { name, size, theme, ready, address }) {
  const context = await browser.newContext({
    ...{ baseURL: base, viewport: SIZES[size], isMobile: size === 'phone', deviceScaleFactor: 2, colorScheme: theme },
    ...{ locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' },
  });
  const answer = await context.request.post('/v1/session', { data: { key }, headers: { origin: base } });
  if (answer.status() !== 200) throw new Error(`POST /v1/session answered ${answer.status()}`);
  const page = await context.newPage();
  await page.goto(address);
  await page.getByText(ready).first().waitFor();
  await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
  await page.waitForLoadState('networkidle');
  const bytes = await compressed(page, name);
  writeFileSync(path.join(IMAGES, `console-${name}.webp`), bytes);
  console.log(`console-${name}.webp ${Math.round(bytes.length / 1000)} kB of ${address}`);
  await context.close();
}

const wanted = process.argv.slice(2);
const folder = mkdtempSync(path.join(tmpdir(), 'countersign-screenshots-'));
const installation = await OwnInstallation.start(folder, await freePort(), process.env);
const executablePath = process.env.COUNTERSIGN_TEST_BROWSER ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
try {
  const { told } = await fillDemo(installation.url, installation.admin_key);
  const key = await keyOfYou(installation);
  const placeOf = (words) => {
    const found = told.find(({ what }) => what.startsWith(words));
    if (!found) throw new Error(`the demo tells of nothing that begins with: ${words}`);
    return found.where;
  };
  for (const shot of SHOTS)
    if (wanted.length === 0 || wanted.includes(shot.name))
      await shoot(browser, installation.url, key, { ...shot, address: shot.page(placeOf) });
} finally {
  await browser.close();
  await installation.stop();
  rmSync(folder, { recursive: true, force: true });
}
