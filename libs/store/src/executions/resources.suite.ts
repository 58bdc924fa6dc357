import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Store } from '../store.js';
import { claimOf, leaseOf } from './arbiter.suite.js';
import { type EndState, type ExecutionRow, executionState } from './execution-row.js';
import { type EndedResources, endedOn, foldEndsStatements } from './fold-ends.js';
import type { ResourceClaim } from './planned-claim.js';
import { claimWithResources as claimOnTerms, type ResourceClaimed } from './resource-claim.js';
import { resourcesText } from './resource-row.js';
import { restore } from './restore.js';
import { rowsOfKeys } from './rows.js';
import { SeenGenerations } from './seen-generations.js';
import { readStanding } from './standing.js';
import { forgetClaim } from './take-over.js';

const { succeeded, in_doubt, released } = executionState;

type Names = Readonly<Record<string, string>>;

/** Ids in a separate namespace: `a/b` touches `a` and `a/b`. */
function idOf(known: Record<string, string>, name: string): string {
  const id = known[name] ?? randomUUID();
  known[name] = id;
  return id;
}

const namespace = (): Names => new Proxy<Record<string, string>>({}, { get: idOf });

function touching(names: Names, path: string, replaces: boolean): ResourceClaim['touches'] {
  const parts = path.split('/');
  const touches = parts.map((_, at) => ({
    resource: names[parts.slice(0, at + 1).join('/')] as string,
    exact: at === parts.length - 1,
    replaces,
  }));
  return touches.sort((one, other) => (one.resource < other.resource ? -1 : 1));
}

function effect(names: Names, path: string, kind: 'replaces' | 'adds', more: Partial<ResourceClaim> = {}): ResourceClaim {
  return { ...claimOf(), touches: touching(names, path, kind === 'replaces'), settle_ms: 0, forced: false, ...more };
}

/** One cache for all tests, as in one process: it is not reset between tests. */
const seen = new SeenGenerations();
const claimWithResources = (store: Store, epoch: number, claims: readonly ResourceClaim[]): Promise<ResourceClaimed[]> =>
  claimOnTerms(store, epoch, claims, { seen, now_ms: Date.now() });

let end_offset = 0;

async function end(
  store: Store,
  { key, attempt, call_uuid }: ResourceClaim,
  state: EndState,
  { ended_at_s = 1, resources = 'of_row' }: { ended_at_s?: number; resources?: EndedResources } = {},
): Promise<void> {
  await store.atomically(foldEndsStatements([{ key, attempt, call_uuid, state, end_offset: ++end_offset, ended_at_s, resources }]));
}

/** Claims in one statement and ends with success, as the process that runs a call does. */
async function happens(store: Store, epoch: number, one: ResourceClaim): Promise<ResourceClaim> {
  const [answer] = await claimWithResources(store, epoch, [one]);
  if (answer?.kind !== 'won') throw new Error(`the claim is ${answer?.kind}`);
  await end(store, one, succeeded, { resources: endedOn(answer.resources, answer.acted_above) });
  return one;
}

async function stands(store: Store, one: ResourceClaim): Promise<boolean | null | undefined> {
  return (await readStanding(store, [one]))[0]?.stands;
}

const kinds = (answers: readonly ResourceClaimed[]) => answers.map(({ kind }) => kind);

function describeStanding(store: () => Store): void {
  test('a result is valid until a later effect on its resource: A, B, A is three effects', async () => {
    const [epoch, names] = [await leaseOf(store()), namespace()];
    const a = await happens(store(), epoch, effect(names, 'file/x', 'replaces'));
    expect(await stands(store(), a)).toBe(true);
    const running = effect(names, 'file/y', 'replaces');
    await claimWithResources(store(), epoch, [running]);
    expect(await stands(store(), running)).toBe(true);
    const b = await happens(store(), epoch, effect(names, 'file/x', 'replaces'));
    expect(await readStanding(store(), [a])).toEqual([
      { key: a.key, attempt: 1, stands: false, superseded_by: `${b.partition}-${b.call_uuid}` },
    ]);
    const again = { ...effect(names, 'file/x', 'replaces'), key: a.key, attempt: 2 };
    await happens(store(), epoch, again);
    expect([await stands(store(), a), await stands(store(), b), await stands(store(), again)]).toEqual([false, false, true]);
  });

  test.each([
    ['the same name', 'd/x', 'd/x', false],
    ['a name above', 'd/x', 'd', false],
    ['a name below', 'd', 'd/x/y', false],
    ['a neighbour', 'd/x', 'd/y', true],
    ['a name that only begins alike', 'd/x', 'd/xy', true],
  ])('an effect on %s of the answer', async (_, first, later, expected) => {
    const [epoch, names] = [await leaseOf(store()), namespace()];
    const answer = await happens(store(), epoch, effect(names, first, 'replaces'));
    await happens(store(), epoch, effect(names, later, 'replaces'));
    expect(await stands(store(), answer)).toBe(expected);
  });

  test('a later effect that adds invalidates results that replace, but no results that add', async () => {
    const [epoch, names] = [await leaseOf(store()), namespace()];
    const replaced = await happens(store(), epoch, effect(names, 'x', 'replaces'));
    const added = await happens(store(), epoch, effect(names, 'x', 'adds'));
    await happens(store(), epoch, effect(names, 'x/below', 'adds'));
    expect([await stands(store(), replaced), await stands(store(), added)]).toEqual([false, true]);
    await happens(store(), epoch, effect(names, 'x', 'replaces'));
    expect(await stands(store(), added)).toBe(false);
  });

  test('an end without effect releases the generation: the earlier result is valid again', async () => {
    const [epoch, names] = [await leaseOf(store()), namespace()];
    const a = await happens(store(), epoch, effect(names, 'x', 'replaces'));
    const b = effect(names, 'x', 'replaces');
    await claimWithResources(store(), epoch, [b]);
    expect(await stands(store(), a)).toBe(false);
    await end(store(), b, released);
    expect(await stands(store(), a)).toBe(true);
    const repeat = { ...effect(names, 'x', 'replaces'), key: a.key, attempt: 2 };
    expect(kinds(await claimWithResources(store(), epoch, [repeat]))).toEqual(['lost']);
    expect(kinds(await claimWithResources(store(), epoch, [{ ...repeat, forced: true }]))).toEqual(['won']);
  });

  test('a result is invalid without the row of its generation; the validity of a row without resources is null', async () => {
    const [epoch, names] = [await leaseOf(store()), namespace()];
    const a = await happens(store(), epoch, effect(names, 'x', 'replaces'));
    await store().query({ text: 'DELETE FROM resource_generations WHERE resource = $1', params: [names.x] });
    expect(await stands(store(), a)).toBe(false);
    await happens(store(), epoch, effect(names, 'x', 'replaces'));
    expect(await stands(store(), a)).toBe(false);
    expect((await rowsOfKeys(store(), [a.key]))[0]?.stands).toBe(false);
  });
}

function describeHolds(store: () => Store): void {
  test('one effect on a resource runs at a time, also across names above and below it; siblings run concurrently', async () => {
    const [epoch, names] = [await leaseOf(store()), namespace()];
    const running = effect(names, 'd/x', 'adds');
    const others = ['d/x', 'd', 'd/x/y', 'd/y'].map((path) => effect(names, path, 'replaces'));
    expect(kinds(await claimWithResources(store(), epoch, [running]))).toEqual(['won']);
    const answers: string[] = [];
    for (const other of others) answers.push(...kinds(await claimWithResources(store(), epoch, [other])));
    expect(answers).toEqual(['busy', 'busy', 'busy', 'won']);
    await end(store(), running, succeeded);
    expect(kinds(await claimWithResources(store(), epoch, [others[0] as ResourceClaim]))).toEqual(['won']);
  });

  test('of claims that overlap in one batch, and of 20 that race, the first wins', async () => {
    const [epoch, names] = [await leaseOf(store()), namespace()];
    const batch = ['d/x', 'd', 'e', 'd/x/y'].map((path) => effect(names, path, 'replaces'));
    expect(kinds(await claimWithResources(store(), epoch, batch))).toEqual(['won', 'busy', 'won', 'busy']);
    const racers = Array.from({ length: 20 }, (_, at) => effect(names, at % 2 ? 'r' : 'r/x', 'replaces'));
    const won = await Promise.all(racers.map((one) => claimWithResources(store(), epoch, [one])));
    expect(won.flat().filter(({ kind }) => kind === 'won')).toHaveLength(1);
  });

  test('batches of overlapping resources in opposite orders do not deadlock', async () => {
    const [epoch, names] = [await leaseOf(store()), namespace()];
    const paths = Array.from({ length: 30 }, (_, at) => `d/${at}`);
    const batches = Array.from({ length: 8 }, (_, at) =>
      (at % 2 ? paths : [...paths].reverse()).map((path) => effect(names, path, 'replaces')),
    );
    const answers = await Promise.all(batches.map((batch) => claimWithResources(store(), epoch, batch)));
    expect(answers.flat().filter(({ kind }) => kind === 'won')).toHaveLength(30);
  });

  test('other claims wait until a doubt has settled, then run with a warning; its resolution invalidates their results', async () => {
    const [epoch, names] = [await leaseOf(store()), namespace()];
    const doubtful = effect(names, 'x', 'replaces', { settle_ms: 2_000_000_000 });
    await claimWithResources(store(), epoch, [doubtful]);
    await end(store(), doubtful, in_doubt, { ended_at_s: Math.floor(Date.now() / 1000) });
    const later = effect(names, 'x', 'replaces');
    expect(kinds(await claimWithResources(store(), epoch, [later]))).toEqual(['busy']);
    await store().query({ text: 'UPDATE resource_holds SET doubt_until_ms = 0 WHERE resource = $1', params: [names.x] });
    expect(await claimWithResources(store(), epoch, [later])).toEqual([expect.objectContaining({ kind: 'won', doubtful: true })]);
    await end(store(), later, succeeded);
    expect(await stands(store(), later)).toBe(false);
    await end(store(), doubtful, succeeded, { ended_at_s: Math.floor(Date.now() / 1000) + 10 });
    expect([await stands(store(), doubtful), await stands(store(), later)]).toEqual([false, false]);
    expect(await happens(store(), epoch, effect(names, 'x', 'replaces'))).toBeDefined();
  });

  test('a doubt that a person resolves as happened is valid if no later effects exist', async () => {
    const [epoch, names] = [await leaseOf(store()), namespace()];
    const doubtful = effect(names, 'x', 'replaces');
    await claimWithResources(store(), epoch, [doubtful]);
    await end(store(), doubtful, in_doubt);
    await end(store(), doubtful, succeeded);
    expect(await stands(store(), doubtful)).toBe(true);
  });

  test('a removed claim and a hold whose row is deleted block nothing', async () => {
    const [epoch, names] = [await leaseOf(store()), namespace()];
    const [forgotten, lost] = [effect(names, 'x', 'replaces'), effect(names, 'y', 'replaces')];
    expect(kinds(await claimWithResources(store(), epoch, [forgotten, lost]))).toEqual(['won', 'won']);
    await forgetClaim(store(), epoch, forgotten);
    await store().query({ text: 'DELETE FROM tool_executions WHERE key = $1', params: [lost.key] });
    expect(kinds(await claimWithResources(store(), epoch, [effect(names, 'x', 'adds'), effect(names, 'y', 'adds')]))).toEqual([
      'won',
      'won',
    ]);
  });
}

function describeStaleHolds(store: () => Store): void {
  test('a hold in doubt that outlived its row is an ordinary hold again once its attempt is claimed again', async () => {
    const [epoch, names] = [await leaseOf(store()), namespace()];
    const one = effect(names, 'x', 'replaces');
    expect(kinds(await claimWithResources(store(), epoch, [one]))).toEqual(['won']);
    await store().query({ text: 'DELETE FROM tool_executions WHERE key = $1', params: [one.key] });
    await store().query({ text: 'UPDATE resource_holds SET doubt_until_ms = 0 WHERE key = $1', params: [one.key] });
    expect(kinds(await claimWithResources(store(), epoch, [one]))).toEqual(['won']);
    expect(kinds(await claimWithResources(store(), epoch, [effect(names, 'x', 'replaces')]))).toEqual(['busy']);
  });
}

function describePlans(store: () => Store): void {
  test('a process with an empty cache or a slow clock claims according to the tables', async () => {
    const [epoch, names] = [await leaseOf(store()), namespace()];
    await happens(store(), epoch, effect(names, 'd', 'replaces'));
    const folder = await happens(store(), epoch, effect(names, 'd', 'adds'));
    await happens(store(), epoch, effect(names, 'd/x', 'adds'));
    const late = effect(names, 'd/x', 'adds');
    const [answer] = await claimOnTerms(store(), epoch, [late], { seen: new SeenGenerations(), now_ms: 1 });
    if (answer?.kind !== 'won') throw new Error(`the claim is ${answer?.kind}`);
    expect(answer.acted_above).toBe(true);
    await end(store(), late, succeeded, { resources: endedOn(answer.resources, answer.acted_above) });
    expect([await stands(store(), folder), await stands(store(), late)]).toEqual([true, true]);
    await happens(store(), epoch, effect(names, 'd/x', 'replaces'));
    expect([await stands(store(), folder), await stands(store(), late)]).toEqual([false, false]);
  });

  test('a name that claims pass through is marked once, and a later claim on that folder finds the effects below it', async () => {
    const [epoch, names, own] = [await leaseOf(store()), namespace(), new SeenGenerations()];
    const below = effect(names, 'd/e/x', 'replaces');
    expect(kinds(await claimOnTerms(store(), epoch, [below], { seen: own, now_ms: Date.now() }))).toEqual(['won']);
    expect(own.toContain([names.d as string, names['d/e'] as string, 'another'])).toEqual(['another']);
    const folder = effect(names, 'd', 'replaces');
    expect(kinds(await claimWithResources(store(), epoch, [folder]))).toEqual(['busy']);
    await end(store(), below, released);
    expect(kinds(await claimWithResources(store(), epoch, [folder]))).toEqual(['won']);
    const next = effect(names, 'd/e/y', 'adds');
    expect(kinds(await claimOnTerms(store(), epoch, [next], { seen: own, now_ms: Date.now() }))).toEqual(['busy']);
  });
}

function describeRefold(store: () => Store): void {
  test('rows restored in any order of partitions give the original state, and running attempts hold their resources', async () => {
    const [epoch, names] = [await leaseOf(store()), namespace()];
    const lived: ResourceClaim[] = [];
    for (const path of ['d/x', 'd/y', 'd', 'd/x', 'd/z']) lived.push(await happens(store(), epoch, effect(names, path, 'replaces')));
    const failed = effect(names, 'd/x', 'replaces');
    await claimWithResources(store(), epoch, [failed]);
    await end(store(), failed, released);
    const running = effect(names, 'd/y', 'adds');
    await claimWithResources(store(), epoch, [running]);
    const before = await Promise.all(lived.map((one) => stands(store(), one)));
    expect(before).toEqual([false, false, false, true, true]);
    const all = [...lived, failed, running].map(({ key }) => key);
    const rows = (await rowsOfKeys(store(), all)).map(({ stands: _, ...row }): ExecutionRow => row);
    for (const shuffled of [rows, [...rows].reverse()]) {
      const generations = [...Object.values({ ...names }), names.d, names['d/x'], names['d/y'], names['d/z']];
      await store().query({ text: 'DELETE FROM resource_generations WHERE resource = ANY ($1::uuid[])', params: [generations] });
      await store().query({ text: 'DELETE FROM resource_holds WHERE key = ANY ($1::uuid[])', params: [all] });
      await store().query({ text: 'DELETE FROM tool_executions WHERE key = ANY ($1::uuid[])', params: [all] });
      for (const row of shuffled) await restore(store(), [row]);
      expect(await Promise.all(lived.map((one) => stands(store(), one)))).toEqual(before);
      expect(kinds(await claimWithResources(store(), epoch, [effect(names, 'd/y', 'adds')]))).toEqual(['busy']);
    }
  });

  test('SQL can read the resources text of a row', async () => {
    const [epoch, names] = [await leaseOf(store()), namespace()];
    const one = effect(names, 'd/x', 'adds', { settle_ms: 7 });
    const [answer] = await claimWithResources(store(), epoch, [one]);
    if (answer?.kind !== 'won') throw new Error('lost');
    expect(answer.resources.settle_ms).toBe(7);
    expect(answer.resources.touched.map(({ resource, exact, replaces }) => ({ resource, exact, replaces }))).toEqual(one.touches);
    const [row] = await rowsOfKeys(store(), [one.key]);
    expect(JSON.parse(row?.resources ?? '')).toEqual(JSON.parse(resourcesText(answer.resources)));
  });
}

/** Which results stay valid, and which claims wait for which. Part of describeStore. */
export function describeResources(store: () => Store): void {
  describeStanding(store);
  describeHolds(store);
  describeStaleHolds(store);
  describePlans(store);
  describeRefold(store);
}
