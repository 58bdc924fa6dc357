import { evolveConfiguration, initialConfiguration, type PlacedEvent } from '@countersign/domain';
import { BatchDecoder, type Recorded } from '@countersign/event-log';
import { defineTool, type Pack } from '@countersign/tool-kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { startExecutor } from './start-executor.js';
import { Rig } from './testing/rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

const by = { kind: 'user' as const, id: 'root', roles: ['admin'] };

async function records(topic: string): Promise<Recorded[]> {
  const found = await rig.log.read(topic, 0, 0, 500);
  return (await new BatchDecoder(rig.codec, undefined).decode(found)).events;
}

/** The registrations of `greet`; every executor also has the tools of the platform. */
const greetings = async () => (await records('tool-registered')).filter(({ event }) => (event as { name: string }).name === 'greet');

const greet = (version: string, name: z.ZodType<string>) =>
  defineTool({
    name: 'greet',
    version,
    title: 'Greet somebody',
    description: 'Answers a greeting for the name that it is given, and nothing else.',
    category: 'test',
    effect_class: 'pure',
    input: z.strictObject({ name }),
    output: z.strictObject({ text: z.string() }),
    run: async ({ name: who }) => ({ text: `hello ${who}` }),
  });

async function start(...tools: Pack['tools']) {
  const config = {
    packs: ['made'],
    executor_id: 'e',
    running_max: 8,
    waiting_max: 100,
    lease_ms: 5000,
    environment: {},
    environment_name: 'staging',
    lanes: ['shared'],
  };
  const app = await startExecutor(rig.deps(), config, [{ name: 'made', version: '2.1.0', tools }]);
  await app.close();
}

test('a version that breaks the compatibility of its number is refused: recorded, as a security event, and only once', async () => {
  await start(greet('1.0.0', z.string()), greet('1.1.0', z.string().max(5)));
  const registered = await greetings();
  expect(registered.map(({ event }) => (event as { version: string }).version)).toEqual(['1.0.0', '1.1.0']);
  const state = registered.reduce((folded, each) => evolveConfiguration(folded, each as PlacedEvent), initialConfiguration());
  expect(state.tools.get('greet')?.map(({ version }) => version)).toEqual(['1.0.0']);
  const [refusal] = await records('security-event');
  expect(refusal).toMatchObject({ event: { kind: 'registration_refused' } });
  expect(JSON.parse((refusal?.event as { detail: string }).detail)).toMatchObject({
    tool: 'greet',
    version: '1.1.0',
    against: '1.0.0',
    differences: [{ pointer: '/input_schema/properties/name/maxLength', allowed: 'wider' }],
  });
  expect(state.tools.get('greet')?.[0]?.runs_on).toEqual({
    environment: 'staging',
    adapter: 'made',
    adapter_version: '2.1.0',
    protocol_version: null,
  });
  await start(greet('1.0.0', z.string()), greet('1.1.0', z.string().max(5)));
  expect([(await greetings()).length, (await records('security-event')).length]).toEqual([2, 1]);
});

test('a blocked version: waiting calls leave the queue while the slot is held, running ones finish', async () => {
  await rig.start({ running_max: 1 });
  const open = rig.world.close();
  const running = await rig.allow('blind_write', 'a', { act: 'gate' });
  await rig.until(() => rig.world.effects.length === 1);
  const waiting = await Promise.all(['b', 'c', 'd'].map((name) => rig.allow('blind_write', name, { ruling: { config_offset: -1 } })));
  await new Promise((resolve) => setTimeout(resolve, 100));
  const meta = { ...running.meta, call_id: null, partition: 0 };
  await rig.put('tool_lifecycle_set', [
    {
      meta,
      tool: 'blind_write',
      version: '1.0.0',
      state: 'blocked',
      sunset_at_ms: null,
      reason: null,
      use_instead: null,
      by,
      changed_at_ms: Date.now(),
    },
  ]);
  const isRejudged = async () => {
    const events = (await rig.executed()).filter(({ event_type }) => event_type === 'tool_call_rejudged');
    return waiting.every(({ meta: { call_id } }) => events.some(({ event }) => event.meta.call_id === call_id));
  };
  await rig.until(isRejudged);
  // The running call holds the only slot meanwhile.
  expect(rig.world.effects).toHaveLength(1);
  open();
  expect((await rig.end(running)).event.outcome.status).toBe('succeeded');
  expect(rig.world.effects).toHaveLength(1);
});
