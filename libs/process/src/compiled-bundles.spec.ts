import { sha256Hex } from '@countersign/contracts';
import { compiledBundles } from '@countersign/policy';
import { afterEach, expect, test, vi } from 'vitest';
import { bundlesAhead } from './compiled-bundles.js';
import { inTurns } from './in-turns.js';

const when = 'inputs.total < 5000 && inputs.supplier in facts.suppliers && !(context.purpose == "test" || principal.id.startsWith("bot"))';

function bundleOf(version: string): { version: string; bundle_json: string; digest: string } {
  const rules = Array.from({ length: 1000 }, (_, i) => ({ id: `r${i}`, tools: {}, when: `${when} && inputs.n != ${i}`, effect: 'deny' }));
  const bundle_json = JSON.stringify({ rules });
  return { version, bundle_json, digest: sha256Hex(bundle_json) };
}

afterEach(() => {
  vi.restoreAllMocks();
});

// bench/claims.mjs measures the time they take.
test('1,000 rules are compiled in 1,000 steps, and later decisions find them compiled', () => {
  const text = bundleOf('a');
  expect([...compiledBundles.steps(text)]).toHaveLength(1000);
  expect([...compiledBundles.steps(text)]).toHaveLength(0);
  expect(compiledBundles.of(bundleOf('a'))).toMatchObject({ bundle: { version: 'a' } });
});

test('other work runs after 4 ms plus the step that was running then', async () => {
  const clock = { now_ms: 0 };
  vi.spyOn(performance, 'now').mockImplementation(() => clock.now_ms);
  const turns_at_ms: number[] = [];
  let watching = true;
  const turn = (): void => {
    turns_at_ms.push(clock.now_ms);
    if (watching) setImmediate(turn);
  };
  setImmediate(turn);
  const steps = function* (): Generator<void, string> {
    for (let n = 0; n < 300; n++) {
      clock.now_ms += 3;
      yield;
    }
    return 'done';
  };
  expect(await inTurns(steps())).toBe('done');
  watching = false;
  const stretches = turns_at_ms.map((at_ms, n) => at_ms - (turns_at_ms[n - 1] ?? 0));
  expect(Math.max(...stretches)).toBeLessThanOrEqual(4 + 3);
});

test('the services of one process compile a bundle once', async () => {
  const text = bundleOf('shared');
  expect(bundlesAhead.compile(text)).toBe(bundlesAhead.compile(text));
  await bundlesAhead.compile(text);
  expect(compiledBundles.of({ ...text })).toBe(compiledBundles.of({ ...text }));
});
