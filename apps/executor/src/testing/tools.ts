import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, type Pack, type Tool, ToolError, type Verified } from '@countersign/tool-kit';
import { z } from 'zod';
import { FaultyWorld, faultyTools } from './faulty-tools.js';

const input = z.strictObject({
  name: z.string(),
  act: z.string().default('answer'),
  wait_ms: z.int().default(0),
  slot: z.string().default(''),
});
const output = z.strictObject({ ok: z.boolean(), name: z.string() });
type Input = z.output<typeof input>;

/** The outside world of the executor's specs: effects by idempotency key. */
export class World {
  readonly effects: { key: string; name: string }[] = [];
  readonly reads: string[] = [];
  readonly faulty = new FaultyWorld();
  /** Keys that were refused once because the system was busy (`act: 'busy'`). */
  readonly refused = new Set<string>();
  /** Resolves when the gate is opened: a tool with `act: 'gate'` waits for it after its effect. */
  gate: Promise<void> = Promise.resolve();
  /** Answer of a reconcile; default: the truth. */
  reconcile: 'truth' | 'cannot_tell' = 'truth';

  /** Undos that took effect, by the key of the effect. */
  readonly undos: string[] = [];
  /** Behavior of an undo: do it, do nothing, refuse, lose its response after or before it, or wait for the gate after it. */
  undo: 'does' | 'does_nothing' | 'refuses' | 'loses_answer' | 'loses_request' | 'gate' = 'does';
  /** Answer of an effect check; default: the truth. */
  look: 'truth' | 'cannot_tell' = 'truth';

  async compensate(key: string): Promise<{ undone: number }> {
    if (this.undo === 'refuses') throw new ToolError('VALIDATION_ERROR', 'it was changed since', { effect: 'none', class: 'semantic' });
    if (this.undo === 'loses_request') throw new Error('connection lost before');
    if (this.undo === 'does_nothing') return { undone: 0 };
    this.undos.push(key);
    for (const [at, effect] of [...this.effects.entries()].reverse()) if (effect.key === key) this.effects.splice(at, 1);
    if (this.undo === 'gate') await this.gate;
    if (this.undo === 'loses_answer') throw new Error('connection lost after');
    return { undone: 1 };
  }

  verify(key: string): Verified {
    if (this.look === 'cannot_tell') return { kind: 'cannot_tell', why: 'the books are closed' };
    return this.effectsOf(key) > 0 ? { kind: 'verified' } : { kind: 'contradicted', why: 'it is not there' };
  }

  effectsOf(key: string): number {
    return this.effects.filter((effect) => effect.key === key).length;
  }

  /** Closes the gate; the returned function opens it. */
  close(): () => void {
    let open = () => {};
    this.gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    return open;
  }

  async act({ name, act, wait_ms }: Input, key: string, once: boolean): Promise<{ ok: boolean; name: string }> {
    if (act === 'nothing') return { ok: false, name };
    if (act === 'refuse') throw new ToolError('PROVIDER_ERROR', 'no', { effect: 'none' });
    if (act === 'busy' && !this.refused.has(key)) {
      this.refused.add(key);
      throw new ToolError('RATE_LIMIT', 'slow down', { retry_after_s: 1, effect: 'none' });
    }
    if (act === 'lose_request') throw new Error('connection lost before');
    if (wait_ms > 0) await sleep(wait_ms);
    if (!once || this.effectsOf(key) === 0) this.effects.push({ key, name });
    if (act === 'gate') await this.gate;
    if (act === 'lose_answer') throw new Error('connection lost after');
    if (act === 'wrong_shape') return { ok: 'yes' } as never;
    return { ok: true, name };
  }
}

const traits = {
  version: '1.0.0',
  category: 'test',
  idempotency: { discriminating: ['name'] },
  timeout_ms: 1500,
  settle_ms: 100,
  max_output_bytes: 256 * 1024,
  input,
  output,
};
const titled = (name: string) => ({
  name,
  title: `Test: ${name}`,
  description: 'A tool of the executor specs: acts on the world it was made with.',
});

const written = { ...traits, effect_class: 'commit_low' as const, resources: [{ name: 'entry:{/name}', effect: 'adds' as const }] };

/** Tools that can undo their effects. */
function undoableTools(world: World): Tool[] {
  return [
    defineTool({
      ...written,
      ...titled('undoable_write'),
      run: (inputs, ctx) => world.act(inputs, ctx.idempotency_key, false),
      compensate: async ({ idempotency_key, inputs, output }) => ({ ...(await world.compensate(idempotency_key)), inputs, output }),
      verify: async (_inputs, _output, ctx) => world.verify(ctx.idempotency_key),
    }),
    defineTool({
      ...written,
      ...titled('plainly_undoable_write'),
      run: (inputs, ctx) => world.act(inputs, ctx.idempotency_key, false),
      compensate: async ({ idempotency_key }) => world.compensate(idempotency_key),
    }),
  ] as Tool[];
}

/** One tool for each way of recovery, all on one world. */
export function testPack(world: World): Pack {
  const effect_class = 'commit_low' as const;
  const write = { ...traits, effect_class, resources: [{ name: 'entry:{/name}', effect: 'adds' as const }] };
  const slot = (effect: 'adds' | 'replaces') => ({
    idempotency: { discriminating: ['name', 'slot'] },
    resources: [{ name: 'slot:{/slot}', effect }],
  });
  const reconcile = async (inputs: Input, ctx: { idempotency_key: string }) => {
    if (world.reconcile === 'cannot_tell') return { kind: 'cannot_tell' as const, why: 'the books are closed' };
    if (world.effectsOf(ctx.idempotency_key) === 0) return { kind: 'did_not_happen' as const };
    return { kind: 'happened' as const, output: { ok: true, name: inputs.name } };
  };
  const tools: Tool[] = [
    defineTool({ ...write, ...titled('blind_write'), run: (inputs, ctx) => world.act(inputs, ctx.idempotency_key, false) }),
    defineTool({
      ...traits,
      effect_class,
      ...titled('unnamed_write'),
      run: (inputs, ctx) => world.act(inputs, ctx.idempotency_key, false),
    }),
    defineTool({
      ...write,
      ...titled('replacing_write'),
      ...slot('replaces'),
      run: (inputs, ctx) => world.act(inputs, ctx.idempotency_key, false),
    }),
    defineTool({
      ...write,
      ...titled('adding_write'),
      ...slot('adds'),
      run: (inputs, ctx) => world.act(inputs, ctx.idempotency_key, false),
      reconcile,
    }),
    defineTool({ ...write, ...titled('asked_write'), run: (inputs, ctx) => world.act(inputs, ctx.idempotency_key, false), reconcile }),
    defineTool({
      ...write,
      ...titled('final_write'),
      settle_is_final: true,
      run: (inputs, ctx) => world.act(inputs, ctx.idempotency_key, false),
      reconcile,
    }),
    defineTool({
      ...write,
      ...titled('keyed_write'),
      takes_key: true,
      run: (inputs, ctx) => world.act(inputs, ctx.idempotency_key, true),
      changedNothing: ({ ok }) => !ok,
    }),
    ...undoableTools(world),
    defineTool({
      ...traits,
      ...titled('test_read'),
      effect_class: 'read_internal',
      idempotency: undefined,
      run: async ({ name, act, wait_ms }) => {
        if (wait_ms > 0) await sleep(wait_ms);
        if (act === 'gate') await world.gate;
        if (act === 'wrong_shape') return { ok: 'yes' } as never;
        world.reads.push(name);
        return { ok: true, name: act === 'long' ? 'x'.repeat(400_000) : name };
      },
    }),
    ...faultyTools(world.faulty),
  ] as Tool[];
  return { name: 'test', tools };
}
