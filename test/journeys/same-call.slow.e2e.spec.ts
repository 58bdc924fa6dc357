import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import type { Answer, Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import { RowRunner, type RowWorld } from './same-call-runner.js';
import { caseRows } from './same-call-table.js';

const rows = caseRows(readFileSync('docs/reference/what-counts-as-the-same-call.md', 'utf8'));
const NAMES = ['first', 'second', 'third'];

let world: RowWorld;
beforeAll(async () => {
  const counterparty = await Counterparty.start();
  const env = {
    COUNTERSIGN_PACKS: 'workspace,patterns,probe,http',
    COUNTERSIGN_PROBE_URL: counterparty.url,
    COUNTERSIGN_HTTP_ALLOW: new URL(counterparty.url).host,
  };
  const platform = await EmbeddedPlatform.start(env);
  const agent = await platform.admin().keyFor('agent', 'agent-1', ['agent']);
  const approver = await platform.admin().keyFor('user', 'anna', ['approver']);
  world = { platform, counterparty, agent, approver, ahead_min: 0 };
});
afterAll(async () => {
  await world?.platform.close();
  await world?.counterparty.stop();
});

const field = (body: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], body);

/** The expected value of a field of the table: a literal, or a field of an earlier response (`first.call_id`). */
function expected(value: string, answers: readonly Answer<Envelope>[]): unknown {
  if (value === 'true' || value === 'false') return value === 'true';
  if (value === 'null') return null;
  const [name, ...path] = value.split('.');
  const at = NAMES.indexOf(name as string);
  return at < 0 ? value : field(answers[at]?.body, path.join('.'));
}

describe('which calls count as the same, row by row', () => {
  test.each(rows.map((row, nth) => [row.title, row, nth] as const))('%s', async (_title, { steps, answer, afterwards }, nth) => {
    const runner = new RowRunner(world, nth);
    await runner.run(steps);
    const last = runner.answers.at(-1) as Answer<Envelope>;
    const seen = answer.map(([path]) => [path, path === 'HTTP' ? String(last.status) : field(last.body, path)]);
    expect(seen).toEqual(answer.map(([path, value]) => [path, path === 'HTTP' ? value : expected(value, runner.answers)]));
    for (const value of seen.map(([, found]) => found)) expect(value).toBeDefined();
    // An earlier result has a warning about how to force a run; a new result does not.
    const warned = (last.body.warnings ?? []).some((warning) => /`occurrence`|Idempotency-Key/.test(warning));
    expect(warned).toBe(last.body.deduplicated === true);
    expect(await runner.afterwards(afterwards[0] as string)).toBe(afterwards[0]);
  });
});
