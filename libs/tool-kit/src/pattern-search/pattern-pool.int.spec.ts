import { afterEach, beforeEach, expect, test } from 'vitest';
import { testContext } from '../test-context.js';
import { PatternPool } from './pattern-pool.js';
import { regexPattern, textPattern } from './search-pattern.js';

/** Takes RE2 seconds on the line below: linear, but with 900 states for each letter. */
const SLOW = regexPattern('a[ab]{900}[^ab]', false, '/query');
const slow_text = () => new Uint8Array(Buffer.from(LINE));
const LINE = irregular(1 << 20);

/** Letters without a period, so that no state of the engine occurs twice. */
function irregular(length: number): string {
  let state = 1;
  const letters = Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 31 === 1 ? 'a' : 'b';
  });
  return letters.join('');
}
const text = (of: string) => new Uint8Array(Buffer.from(of));
const quick = regexPattern('b+', false, '/query');

let pool: PatternPool;
beforeEach(() => {
  pool = new PatternPool({ threads_max: 2, tenant_open_max: 2, tenant_waiting_max: 3, slice_ms_max: 400 });
});
afterEach(() => pool.close());
const open = (tenant_id: string, over = {}) => pool.open(testContext({ tenant_id, ...over }));

test('no thread is started before the first search; the search returns its matches', async () => {
  expect(pool.load).toEqual({ threads: 0, waiting: 0 });
  const search = await open('acme');
  await search.check(textPattern('b', false, '/query'));
  expect(pool.load.threads).toBe(0);
  expect(await search.whole(quick, ['abb', 'a', 'b'])).toEqual([true, false, true]);
  const lines = [{ line: 2, column: 2, text: 'abb' }];
  expect(await search.lines(quick, text('a\nabb\n'), 5)).toEqual(lines);
  expect(await search.lines(textPattern('bb', false, '/query'), text('a\nabb\n'), 5)).toEqual(lines);
  expect(await search.lines(textPattern('BB', true, '/query'), text('a\nabb\n'), 5)).toEqual(lines);
  await search.close();
  await search.close();
});

test('a search in many slices finds each line once', async () => {
  const search = await open('acme');
  const many = Array.from({ length: 60_000 }, (_, n) => (n % 1000 === 0 ? `${n} hit` : 'a'.repeat(60))).join('\n');
  const hits = await search.lines(regexPattern('^[0-9]+ (h)it$', false, '/query'), text(many), 1_000);
  expect(hits.map(({ line }) => line)).toEqual(Array.from({ length: 60 }, (_, n) => n * 1000 + 1));
  await search.close();
});

test('an invalid pattern is refused by its input, and the search can continue', async () => {
  const search = await open('acme');
  await expect(search.check(regexPattern('(', false, '/query'))).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    more: { details: { path: '/query', reason: 'not_a_pattern' }, effect: 'none' },
  });
  await search.close();
  const again = await open('acme');
  expect(await again.whole(quick, ['b'])).toEqual([true]);
  await again.close();
});

test('a tenant whose searches take seconds never keeps another tenant from a thread', async () => {
  pool = new PatternPool({ threads_max: 2, tenant_open_max: 4, slice_ms_max: 5_000 });
  const abort = new AbortController();
  const loud = await Promise.all(Array.from({ length: 4 }, () => open('loud', { signal: abort.signal })));
  const ended: string[] = [];
  const running = loud.map((search) => search.lines(SLOW, slow_text(), 1).catch(({ code }) => ended.push(code)));
  const quiet = await open('quiet');
  for (let n = 0; n < 20; n++) expect(await quiet.whole(quick, ['b'])).toEqual([true]);
  // With both threads in use the twenty would have waited for at least two of the slow ones, of 5 s each.
  expect(ended.length).toBeLessThan(2);
  abort.abort();
  await Promise.all(running);
  expect(ended).toHaveLength(4);
});

test('a pattern that takes too long ends its search and its thread; the next search gets a new thread', async () => {
  const search = await open('acme');
  await expect(search.lines(SLOW, slow_text(), 1)).rejects.toMatchObject({
    code: 'TIMEOUT',
    more: { class: 'validation', retryable: false, effect: 'none' },
  });
  await expect(search.whole(quick, ['b'])).rejects.toMatchObject({ code: 'TIMEOUT' });
  await search.close();
  const next = await open('acme');
  expect(await next.whole(quick, ['b'])).toEqual([true]);
  expect(pool.load.threads).toBe(1);
  await next.close();
});

test('an abort and a deadline end a running search and a waiting one', async () => {
  const abort = new AbortController();
  const first = await open('acme', { signal: abort.signal });
  const second = await open('acme', { deadline_ms: Date.now() + 100 });
  const waits = open('acme', { deadline_ms: Date.now() + 100 });
  const ends = [
    expect(first.lines(SLOW, slow_text(), 1)).rejects.toMatchObject({ code: 'CANCELLED', more: { effect: 'none' } }),
    expect(second.lines(SLOW, slow_text(), 1)).rejects.toMatchObject({ code: 'TIMEOUT', more: { effect: 'none' } }),
    expect(waits).rejects.toMatchObject({ code: 'TIMEOUT' }),
  ];
  setTimeout(() => abort.abort(), 150);
  await Promise.all(ends);
  expect(pool.load.waiting).toBe(0);
});

test('a tenant whose queue is full must retry; another tenant does not', async () => {
  const opened = await Promise.all([open('loud'), open('loud')]);
  const waiting = [open('loud'), open('loud'), open('loud')];
  await expect(open('loud')).rejects.toMatchObject({
    code: 'RATE_LIMIT',
    more: { retryable: true, retry_after_s: 1, details: { reason: 'searches_waiting' }, effect: 'none' },
  });
  await (await open('quiet')).close();
  for (const search of opened) await search.close();
  for (const search of waiting) await (await search).close();
  await (await open('loud')).close();
});

test('closing ends running and waiting searches, and accepts no more', async () => {
  const search = await open('acme');
  await open('acme');
  const ends = [
    expect(search.lines(SLOW, slow_text(), 1)).rejects.toMatchObject({ code: 'CANCELLED' }),
    expect(open('acme')).rejects.toMatchObject({ code: 'CANCELLED' }),
  ];
  await pool.close();
  await Promise.all(ends);
  await expect(open('acme')).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(pool.load.threads).toBe(0);
});

test('idle threads are ended', async () => {
  pool = new PatternPool({ idle_ms: 50 });
  const search = await open('acme');
  await search.whole(quick, ['b']);
  expect(pool.load.threads).toBe(1);
  await search.close();
  while (pool.load.threads > 0) await new Promise((resolve) => setTimeout(resolve, 20));
});
