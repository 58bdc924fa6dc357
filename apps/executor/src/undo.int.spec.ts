import type { EventMap } from '@countersign/contracts';
import { rowsOfKeys } from '@countersign/store';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Ended, Rig } from './testing/rig.js';

type Ruling = EventMap['policy_decided'];

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

const outcomeOf = (end: Ended) => (end.event as EventMap['tool_executed']).outcome;
const stateOf = async (ruling: Ruling) => (await rowsOfKeys(rig.store, [ruling.call.idempotency_key])).map(({ state }) => state);

async function happened(name: string, tool = 'undoable_write'): Promise<Ruling> {
  const ruling = await rig.allow(tool, name);
  expect(outcomeOf(await rig.end(ruling)).status).toBe('succeeded');
  return ruling;
}

describe('an undo', () => {
  test('passes the effect to the tool, records it, and frees the key: the same call runs again as the next attempt', async () => {
    await rig.start();
    const first = await happened('a');
    const end = await rig.end(await rig.undo(first));
    const { call_id } = first.meta;
    const { idempotency_key } = first.call;
    expect(end).toMatchObject({
      event_type: 'tool_executed',
      event: { compensates: { call_id, idempotency_key, attempt: 1, kind: 'own' } },
    });
    expect(outcomeOf(end)).toMatchObject({ status: 'succeeded', effect: 'happened', extras: { verified: true } });
    expect(JSON.parse(outcomeOf(end).output_json ?? '')).toEqual({
      undone: 1,
      inputs: { name: 'a', act: 'answer', slot: '', wait_ms: 0 },
      output: { ok: true, name: 'a' },
    });
    expect(rig.world.effects).toEqual([]);
    await rig.until(async () => (await stateOf(first))[0] === 4);
    const again = await rig.allow('undoable_write', 'a');
    expect((await rig.end(again)).event.meta.attempt).toBe(2);
    expect(rig.world.effects).toHaveLength(1);
  });

  test('undoes an effect whose call had ended without one, by the later record of it and by no other record', async () => {
    await rig.start();
    const lost = await rig.allow('undoable_write', 'late', { act: 'lose_answer' });
    await rig.until(async () =>
      (await rig.eventsOf(lost.meta.call_id as string)).some(({ event_type }) => event_type === 'tool_call_in_doubt'),
    );
    await rig.resolve(lost, 'did_not_happen');
    await rig.until(async () => (await stateOf(lost))[0] === 5);
    expect(rig.world.effects).toHaveLength(1);
    const other = await happened('other');
    const { outcome } = (await rig.end(other)).event as EventMap['tool_executed'];
    const of = {
      idempotency_key: lost.call.idempotency_key,
      tool: lost.call.tool,
      version: lost.call.version,
      decision_id: lost.decision_id,
    };
    const late = { meta: lost.meta, ...of, epoch: 1, revision: lost.revision, outcome, source: lost.source, also: null };
    const [late_offset] = (await rig.put('tool_executed', [late])) as [number];
    const refused = [await rig.undo(lost), await rig.undo(lost, { late_offset: late_offset - 1 })];
    for (const undo of refused) expect(outcomeOf(await rig.end(undo))).toMatchObject({ status: 'failed', effect: 'none' });
    expect(outcomeOf(await rig.end(await rig.undo(lost, { late_offset })))).toMatchObject({
      status: 'succeeded',
      extras: { verified: true },
    });
    expect(rig.world.effects.map(({ name }) => name)).toEqual(['other']);
  });

  test('of one effect, requested several times by any callers, happens once', async () => {
    await rig.start();
    const first = await happened('a');
    const open = rig.world.close();
    rig.world.undo = 'gate';
    const undos = [await rig.undo(first), await rig.undo(first)];
    await rig.until(() => rig.world.undos.length > 0);
    undos.push(await rig.undo(first));
    open();
    for (const undo of undos) expect(outcomeOf(await rig.end(undo)).status).toBe('succeeded');
    const late = await rig.end(await rig.undo(first));
    expect(late.event_type).toBe('tool_retry_deduplicated');
    expect(rig.world.undos).toHaveLength(1);
  });

  test('that the tool refuses leaves the effect and its key unchanged, and may be requested again', async () => {
    await rig.start();
    const first = await happened('a');
    rig.world.undo = 'refuses';
    expect(outcomeOf(await rig.end(await rig.undo(first)))).toMatchObject({ status: 'failed', effect: 'none' });
    expect(await stateOf(first)).toEqual([2]);
    rig.world.undo = 'does';
    expect(outcomeOf(await rig.end(await rig.undo(first))).status).toBe('succeeded');
    expect(rig.world.undos).toHaveLength(1);
  });

  test('that the tool reports but its check of the effect contradicts has failed', async () => {
    await rig.start();
    const first = await happened('a');
    rig.world.undo = 'does_nothing';
    const outcome = outcomeOf(await rig.end(await rig.undo(first)));
    expect(outcome).toMatchObject({ status: 'failed', effect: 'none', error: { code: 'PROVIDER_ERROR' } });
    expect(outcome.error?.details_json).toContain('effect_still_there');
    expect(await stateOf(first)).toEqual([2]);
  });

  test('of a tool without verify is reported as unconfirmed', async () => {
    await rig.start();
    const first = await happened('a');
    rig.world.look = 'cannot_tell';
    const outcome = outcomeOf(await rig.end(await rig.undo(first)));
    expect(outcome).toMatchObject({ status: 'succeeded', extras: { verified: false }, warnings: [expect.stringMatching(/^unconfirmed/)] });
  });

  test('whose result is lost is not sent again: its tool verifies whether the effect still exists', async () => {
    await rig.start();
    const first = await happened('a');
    rig.world.undo = 'loses_answer';
    expect(outcomeOf(await rig.end(await rig.undo(first)))).toMatchObject({ status: 'succeeded', extras: { verified: true } });
    expect(rig.world.undos).toHaveLength(1);
    await rig.until(async () => (await stateOf(first))[0] === 4);
  });

  test.each(['undoable_write', 'plainly_undoable_write'])(
    'of %s whose result is lost and cannot be verified is in doubt until a person resolves it',
    async (tool) => {
      await rig.start();
      const first = await happened('a', tool);
      rig.world.undo = 'loses_answer';
      rig.world.look = 'cannot_tell';
      const undo = await rig.undo(first);
      expect((await rig.end(undo)).event_type).toBe('tool_call_in_doubt');
      expect(await stateOf(first)).toEqual([2]);
      // Another process, which has not seen the doubt, resolves it.
      await rig.apps.pop()?.close();
      await rig.start();
      await rig.resolve(undo, 'happened');
      await rig.until(async () => (await stateOf(first))[0] === 4);
      expect(rig.world.undos).toHaveLength(1);
    },
  );

  test('of an effect that is undone, never happened or is in doubt does not run, with the reason', async () => {
    await rig.start();
    const undone = await happened('a');
    await rig.end(await rig.undo(undone));
    await rig.until(async () => (await stateOf(undone))[0] === 4);
    const never = rig.ruling('undoable_write', 'never');
    const doubted = await rig.allow('undoable_write', 'c', { act: 'lose_answer' });
    expect((await rig.end(doubted)).event_type).toBe('tool_call_in_doubt');
    const before = rig.world.undos.length;
    for (const [of, over, reason] of [
      [undone, { call: { idempotency_key: '00000000-0000-4000-8000-000000000001' } }, 'already_undone'],
      [never, {}, 'effect_has_not_happened'],
      [doubted, {}, 'effect_unknown'],
    ] as const) {
      const { error, status } = outcomeOf(await rig.end(await rig.undo(of, over)));
      expect([status, JSON.parse(error?.details_json ?? '{}')]).toEqual(['failed', { reason }]);
    }
    expect(rig.world.undos).toHaveLength(before);
  });

  test('by another tool runs that tool with its own inputs, and frees the key of the effect', async () => {
    await rig.start();
    const first = await happened('a');
    const other = rig.ruling('keyed_write', 'opposite');
    const { tool, contract_digest, inputs_json, inputs_digest } = other.call;
    const undo = await rig.undo(first, { kind: 'inline', call: { tool, contract_digest, inputs_json, inputs_digest } });
    expect(outcomeOf(await rig.end(undo)).status).toBe('succeeded');
    expect(rig.world.effects.map(({ name }) => name)).toEqual(['a', 'opposite']);
    await rig.until(async () => (await stateOf(first))[0] === 4);
  });

  test('is restored when an empty database is folded from the log', async () => {
    await rig.start();
    const first = await happened('a');
    await rig.end(await rig.undo(first));
    await rig.apps.pop()?.close();
    await rig.loseDatabase();
    await rig.start();
    expect(await stateOf(first)).toEqual([4]);
    const again = await rig.allow('undoable_write', 'a');
    expect((await rig.end(again)).event.meta.attempt).toBe(2);
  });

  test('gets the full output if the record has only a part of it', async () => {
    await rig.start();
    const long = 'x'.repeat(300_000);
    const first = await happened(long);
    const end = await rig.end(await rig.undo(first));
    expect(outcomeOf(end)).toMatchObject({ status: 'succeeded' });
    expect(rig.world.undos).toHaveLength(1);
  });
});
