import { expect, test, vi } from 'vitest';
import type { Answer } from '../gateway/answer.js';
import { type DraftCheck, DraftChecker } from './draft-checker.js';

type Check = Parameters<ConstructorParameters<typeof DraftChecker>[0]>[0];
const GOOD = { ok: true, errors: [], warnings: [], overrides: [], bundle: { rules: [] }, bundle_digest: 'd', published_as: null };

/** A gateway whose answers the test sends. */
function gateway() {
  const sent: { draft: Check; signal: AbortSignal; answer: (answer: Answer<never>) => void }[] = [];
  const reported: DraftCheck[] = [];
  const send = (draft: Check, signal: AbortSignal) =>
    new Promise<Answer<never>>((answer, reject) => {
      sent.push({ draft, signal, answer });
      signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
    });
  return { sent, reported, checker: new DraftChecker(send as never, (check) => reported.push(check)) };
}
const good = (): Answer<never> => ({ ok: true, data: GOOD as never });

test('the newest text is reported, and the gateway has one check at a time', async () => {
  const { sent, reported, checker } = gateway();
  const first = checker.check('{"rules": [1]}');
  void checker.check('{"rules": [2]}');
  void checker.check('{"rules": []}');
  expect(sent).toHaveLength(1);
  sent[0]?.answer(good());
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]?.draft).toEqual({ rules: [] });
  sent[1]?.answer(good());
  await first;
  expect(reported.map(({ kind, text }) => [kind, text])).toEqual([
    ['checking', '{"rules": [1]}'],
    ['checking', '{"rules": [2]}'],
    ['checking', '{"rules": []}'],
    ['good', '{"rules": []}'],
  ]);
});

test('a check that is ended reports nothing, and a later one is sent', async () => {
  const { sent, reported, checker } = gateway();
  const first = checker.check('{"rules": [1]}');
  checker.stop();
  await first;
  const second = checker.check('{"rules": []}');
  expect(sent.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  sent[1]?.answer(good());
  await second;
  expect(reported.at(-1)).toMatchObject({ kind: 'good', text: '{"rules": []}' });
});

test('an older answer that comes late does not replace a fault of the newer text', async () => {
  const { sent, reported, checker } = gateway();
  const first = checker.check('{"rules": []}');
  await checker.check('{"rules": ');
  sent[0]?.answer(good());
  await first;
  expect(reported.at(-1)?.kind).toBe('faulty');
});

test('what is not JSON, and what is no object, is not sent', async () => {
  const { sent, reported, checker } = gateway();
  for (const text of ['{', '[]', '7', 'null']) await checker.check(text);
  expect(sent).toEqual([]);
  expect(reported.map(({ kind }) => kind)).toEqual(['faulty', 'faulty', 'faulty', 'faulty']);
});

test('errors of the gateway are placed in the text', async () => {
  const { sent, reported, checker } = gateway();
  const text = '{"rules": [{"id": "a", "effect": "perhaps"}]}';
  const done = checker.check(text);
  const error = { path: '/rules/0/effect', code: 'invalid_value', rule: 'a', reason: 'wrong', position: null };
  sent[0]?.answer({ ok: true, data: { ...GOOD, ok: false, errors: [error] } as never });
  await done;
  const last = reported.at(-1);
  expect(last?.kind === 'faulty' && last.errors.map(({ from, to }) => text.slice(from, to))).toEqual(['"perhaps"']);
});

test('a text that is too large is said to be, and is not sent', async () => {
  const { sent, reported, checker } = gateway();
  await checker.check(JSON.stringify({ rules: [], description: 'x'.repeat(1_000_000) }));
  expect([sent.length, reported.at(-1)?.kind]).toEqual([0, 'unchecked']);
});

test('a check that could not take place says why', async () => {
  const { sent, reported, checker } = gateway();
  const done = checker.check('{"rules": []}');
  sent[0]?.answer({ ok: false, problem: { type: '', title: 'No connection', status: 0, code: 'NETWORK_ERROR' } as never });
  await done;
  expect(reported.at(-1)).toMatchObject({ kind: 'unchecked', problem: { title: 'No connection' } });
});
