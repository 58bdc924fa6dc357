import { defineTool, type Reconciled, type RunContext, type Tool, ToolError, type Verified } from '@countersign/tool-kit';
import { z } from 'zod';

const input = z.strictObject({ name: z.string(), act: z.string().default('answer'), wait_ms: z.int().default(0) });
const output = z.strictObject({
  ok: z.boolean(),
  text: z.string().optional(),
  list: z.array(z.int()).optional(),
  rows: z.array(z.strictObject({ id: z.int(), text: z.string() })).optional(),
  total: z.int().optional(),
  found: z.string().optional(),
  at: z.string().optional(),
});
type Input = z.output<typeof input>;
type Output = z.input<typeof output>;

/** The actions that a spec requested of its faulty tools. */
export class FaultyWorld {
  readonly runs: { name: string; at_ms: number; key: string }[] = [];
  readonly effects: string[] = [];
  /** Keys that were read back, in order. */
  readonly read_backs: string[] = [];
  /** Answer of a read-back; default: the truth. */
  verify: 'truth' | 'cannot_tell' | 'throws' | 'hangs' | 'nothing' | 'maybe' | 'trap' | 'remarks' | 'odd_remark' = 'truth';

  /** Version of the source that the cached tool reads. */
  source = '1';

  runsOf(name: string): number {
    return this.runs.filter((run) => run.name === name).length;
  }
}

const ring: { ok: boolean; self?: unknown } = { ok: true };
ring.self = ring;

const MB = 2 ** 20;
const answers: Readonly<Record<string, () => unknown>> = {
  answer: () => ({ ok: true }),
  wrong_shape: () => ({ ok: 'yes' }),
  nothing: () => undefined,
  ring: () => ring,
  bigint: () => ({ ok: true, n: 1n }),
  holes: () => ({ ok: true, list: new Array(4e9) }),
  getter: () => ({
    ok: true,
    get trap() {
      throw new Error('do not look');
    },
  }),
  huge_text: () => ({ ok: true, text: Buffer.alloc(200 * MB, 'x').toString('latin1') }),
  huge_list: () => ({ ok: true, list: new Array(30 * MB).fill(1234567) }),
  large: () => ({ ok: true, rows: Array.from({ length: 60_000 }, (_, id) => ({ id, text: `row ${id} of the large answer, padded` })) }),
  negative: () => ({ ok: true, total: -1 }),
  odd: () => ({ ok: true, total: 7 }),
};

const trap = {
  get trap(): never {
    throw new Error('do not look');
  },
};

/** Values that a tool may throw against all types. */
const thrown: Readonly<Record<string, () => unknown>> = {
  throw_nothing: () => undefined,
  throw_ring: () => new ToolError('PROVIDER_ERROR', 'see the details', { details: ring }),
  throw_trap_in_details: () => new ToolError('PROVIDER_ERROR', 'see the details', { details: trap }),
  throw_class: () => new ToolError('PROVIDER_ERROR', 'no', { class: 'nonsense' as never }),
  throw_retryable: () => new ToolError('PROVIDER_ERROR', 'no', { retryable: 'yes' as never }),
  throw_retry_after: () => new ToolError('PROVIDER_ERROR', 'no', { retry_after_s: { valueOf: () => 'soon' } as never }),
  throw_more_null: () => new ToolError('PROVIDER_ERROR', 'no', null as never),
  throw_code: () => new ToolError('NONSENSE' as never, 'no'),
  throw_message: () => Object.assign(new ToolError('PROVIDER_ERROR', 'no'), { message: { slice: () => 5 } }),
  throw_brand: () => ({ countersign_tool_error: true, message: 'no' }),
  throw_trapped_brand: () => ({
    get countersign_tool_error(): never {
      throw new Error('do not look');
    },
  }),
  throw_proxy: () =>
    new Proxy(new Error('no'), {
      get: () => trap.trap,
      getPrototypeOf: () => trap.trap,
    }),
};

const leaked: Buffer[] = [];

/** Allocates memory, 32 MB at a time, until its process is killed. */
async function leak(): Promise<never> {
  for (;;) {
    leaked.push(Buffer.alloc(32 * MB, 1));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function act({ act: what, name, wait_ms }: Input, ctx: RunContext, world: FaultyWorld): Promise<never> {
  world.runs.push({ name, at_ms: performance.now(), key: ctx.idempotency_key });
  const count = world.runsOf(name);
  const make = answers[what];
  if (make) return make() as never;
  const throws = thrown[what];
  if (throws) throw throws();
  switch (what) {
    case 'throw':
      throw new Error('x'.repeat(5 * MB));
    case 'attach_untyped':
      return (await ctx.attach({ kind: 'blob', data: 'x' } as never)) as never;
    case 'attach_unawaited':
      void ctx.attach({ kind: 'blob', content_type: 'text/plain', data: 5 } as never);
      return { ok: true } as never;
    case 'slow':
      await new Promise((resolve) => setTimeout(resolve, wait_ms));
      return { ok: true } as never;
    case 'block':
      for (;;);
    case 'exit':
      return process.exit(3);
    case 'leak':
      return leak();
    case 'throw_outside':
      setTimeout(() => {
        throw new Error('outside of its promise');
      });
      return new Promise(() => undefined);
    case 'never':
      return new Promise(() => undefined);
    case 'busy_once':
      if (count === 1) throw new ToolError('RATE_LIMIT', 'slow down', { retry_after_s: 0.4, effect: 'none' });
      return { ok: true } as never;
    case 'busy_for_long':
      throw new ToolError('RATE_LIMIT', 'come back tomorrow', { retry_after_s: 3600, effect: 'none' });
    case 'flaky':
      if (count <= 2) throw new ToolError('PROVIDER_ERROR', '503', { retryable: true, class: 'transient', effect: 'none' });
      return { ok: true } as never;
    case 'flaky_unknown':
      throw new ToolError('PROVIDER_ERROR', '503', { retryable: true, class: 'transient' });
    default:
      throw new ToolError('PROVIDER_ERROR', 'for good', { effect: 'none' });
  }
}

/** The name of a write selects the answer of its reconcile. */
async function reconciled(name: string): Promise<Reconciled<{ ok: boolean; found: string }>> {
  if (name === 'reconcile_hangs') return new Promise(() => undefined);
  if (name === 'reconcile_nothing') return undefined as never;
  if (name === 'reconcile_maybe') return { kind: 'maybe' } as never;
  if (name === 'reconcile_trap') return Object.defineProperty({}, 'kind', { get: () => trap.trap }) as never;
  if (name === 'reconcile_without_reason') return { kind: 'cannot_tell' } as never;
  return { kind: 'happened', output: { ok: true, found: 'later' } };
}

const traits = { version: '1.0.0', category: 'test', timeout_ms: 1200, settle_ms: 50, max_output_bytes: 100_000, input, output };
/** For responses that take longer than the other tools allow in total, on a busy machine. */
const PATIENT_MS = 60_000;
const titled = (name: string) => ({
  name,
  title: `Test: ${name}`,
  description: 'A tool of the executor specs that misbehaves when it is asked to.',
});

/** Faulty tools: a read, a write, a write with verify, and one with verify and reconcile. */
export function faultyTools(world: FaultyWorld): Tool[] {
  const idempotency = { discriminating: ['name'] };
  const write = { ...traits, effect_class: 'commit_low' as const, idempotency };
  const resources = [{ name: 'entry:{/name}', effect: 'adds' as const }];
  const fire = async (inputs: Input, ctx: RunContext) => {
    if (!inputs.act.includes('lie')) world.effects.push(ctx.idempotency_key);
    return act({ ...inputs, act: inputs.act.replace('lie', 'answer') }, ctx, world);
  };
  const verify = async (_inputs: Input, _output: unknown, ctx: RunContext): Promise<Verified> => {
    world.read_backs.push(ctx.idempotency_key);
    if (world.verify === 'throws') throw new Error('unavailable');
    if (world.verify === 'hangs') return new Promise(() => undefined);
    if (world.verify === 'nothing') return undefined as never;
    if (world.verify === 'maybe') return { kind: 'maybe' } as never;
    if (world.verify === 'trap') return Object.defineProperty({}, 'kind', { get: () => trap.trap }) as never;
    if (world.verify === 'remarks') return { kind: 'verified', remark: 'edited '.repeat(1_000) };
    if (world.verify === 'odd_remark') return { kind: 'verified', remark: { sql: 1 } as never };
    if (world.verify === 'cannot_tell') return { kind: 'cannot_tell', why: 'the books are closed' };
    return world.effects.includes(ctx.idempotency_key) ? { kind: 'verified' } : { kind: 'contradicted', why: 'there is no such entry' };
  };
  const sanity = [
    {
      name: 'total_not_negative',
      severity: 'block' as const,
      holds: (_: Input, out: Output) => !(Number(out.total ?? 0) < 0),
    },
    { name: 'total_even', severity: 'warn' as const, holds: (_: Input, out: Output) => Number(out.total ?? 0) % 2 === 0 },
  ];
  return [
    defineTool({
      ...traits,
      ...titled('faulty_read'),
      effect_class: 'read_internal',
      cost_per_call: 0.01,
      accuracy: 0.9,
      sanity,
      run: (inputs, ctx) => act(inputs, ctx, world),
    }),
    defineTool({ ...write, ...titled('faulty_write'), resources, sanity, run: fire }),
    defineTool({ ...write, ...titled('patient_write'), timeout_ms: PATIENT_MS, resources, run: fire }),
    defineTool({ ...write, ...titled('verified_write'), sanity, run: fire, verify }),
    defineTool({ ...write, ...titled('verified_adding_write'), resources, run: fire, verify }),
    defineTool({
      ...write,
      ...titled('verified_replacing_write'),
      resources: [{ name: 'entry:{/name}', effect: 'replaces' }],
      run: fire,
      verify,
    }),
    defineTool({
      ...write,
      ...titled('reconciled_write'),
      sanity,
      run: fire,
      reconcile: async ({ name }) => reconciled(name),
    }),
    ...aroundTools(world),
  ] as Tool[];
}

/** Reads whose results are cached, or that report progress. */
function aroundTools(world: FaultyWorld): Tool[] {
  return [
    defineTool({
      ...traits,
      ...titled('patient_read'),
      timeout_ms: PATIENT_MS,
      effect_class: 'read_internal',
      run: (inputs, ctx) => act(inputs, ctx, world),
    }),
    defineTool({
      ...traits,
      ...titled('cached_read'),
      effect_class: 'read_external',
      cache: { kind: 'ttl', ttl_ms: 60_000 },
      cost_per_call: 0.01,
      run: (inputs, ctx) => act(inputs, ctx, world),
      sourceVersion: async () => {
        if (world.source === 'unavailable') throw new Error('nobody knows');
        return world.source;
      },
    }),
    defineTool({
      ...traits,
      ...titled('pure_read'),
      effect_class: 'pure',
      cache: { kind: 'forever' },
      run: (inputs, ctx) => act(inputs, ctx, world),
    }),
    defineTool({
      ...traits,
      ...titled('reporting_read'),
      effect_class: 'read_internal',
      run: async ({ name }, ctx) => {
        for (let at = 0; at < 100; at++) ctx.progress(at / 100, `page ${at} of ${name}`);
        const table = await ctx.attach({ kind: 'table', content_type: 'text/csv', data: 'a,b\n1,2\n' });
        ctx.progress(1, 'done');
        return { ok: true, at: table.url };
      },
    }),
  ] as Tool[];
}
