import { asksOf, InProcessRuntime } from '@countersign/runtimes';
import { defineTool, type Tool } from '@countersign/tool-kit';
import { testContext } from '@countersign/tool-kit/test-context';
import { ToolProbe } from '@countersign/tool-kit/tool-probe';
import { expect, test } from 'vitest';
import { LoadedTool } from './loaded-tool.js';
import { answered, recorded } from './recorded-result.js';

const output = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name: { type: 'string' },
    note: { type: 'string' },

    sizes: { type: 'array', items: { type: 'number' } },
  },
};
const tool = defineTool({
  name: 'give_anything',
  version: '1.0.0',
  title: 'Give anything',
  description: 'A tool of a spec whose outputs are given by the spec.',
  category: 'test',
  effect_class: 'read_internal',
  input: { type: 'object', additionalProperties: false, properties: {} },
  output,
  run: async () => ({ name: '' }),
});
const hosted = (one: Tool): LoadedTool =>
  new LoadedTool(new InProcessRuntime({ name: 'made', tools: [one] }), { contract: one.contract, asks: asksOf(one) }, {});
const loaded = hosted(tool);
const probe = new ToolProbe(tool, { golden: [{ title: 'any', input: {} }] });

test.each<[string, (() => unknown) | undefined, boolean]>([
  ['says so', () => true, true],
  ['says that it has changed something', () => false, false],
  ['says what is no answer', () => 'yes', false],
  ['throws', () => (ring.absent as { name: string }).name, false],
  ['does not tell', undefined, false],
])('a tool that %s: whether it found nothing to change', (_what, changedNothing, unchanged) => {
  const telling = hosted({ ...tool, ...(changedNothing && { changedNothing: changedNothing as () => boolean }) });
  const seen = answered(telling, { inputs: {} } as never, testContext(), { name: 'a' });
  expect(seen).toEqual({ kind: 'output', output_json: '{"name":"a"}', truncated: false, warnings: [], ...(unchanged && { unchanged }) });
});

const ring: Record<string, unknown> = { name: 'a' };
ring.self = ring;

test.each<[string, unknown, boolean]>([
  ['what the schema says', { name: 'a', sizes: [1, 2.5] }, true],
  ['an optional member that is undefined', { name: 'a', note: undefined }, true],
  ['a Date where text is required', { name: new Date(0) }, false],
  ['an unknown member that is undefined', { name: 'a', extra: undefined }, false],
  ['a number that JSON has not', { name: 'a', sizes: [Number.NaN] }, false],
  ['a hole', { name: 'a', sizes: new Array(2) }, false],
  ['a BigInt', { name: 'a', sizes: [1n] }, false],
  ['a function', { name: 'a', note: () => '' }, false],
  ['a ring', ring, false],
  ['an object with a JSON of its own', { name: 'a', toJSON: () => ({ name: 'a' }) }, false],
  ['bytes', { name: Buffer.from('a') }, false],
  [
    'what throws when it is read',
    Object.defineProperty({}, 'name', { enumerable: true, get: () => (ring.absent as { name: string }).name }),
    false,
  ],
  ['nothing', undefined, false],
])('the kit and the executor judge alike: %s', (_what, value, fits) => {
  expect(recorded(loaded, value).kind).toBe(fits ? 'output' : 'wrong_shape');
  expect(probe.faultsOfOutput(value).length === 0).toBe(fits);
});
