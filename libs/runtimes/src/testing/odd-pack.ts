import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, type Pack, type RunContext, type Tool, ToolError } from '@countersign/tool-kit';
import { CHANNEL_FD } from '../child/protocol.js';

const held: Buffer[] = [];

const answers: Readonly<Record<string, (ctx: RunContext) => unknown>> = {
  pid: () => ({ pid: process.pid }),
  environment: () => ({ names: Object.keys(process.env).sort() }),
  context: async (ctx) => {
    ctx.log('a line', { at: 1 });
    ctx.progress(1, 'done');
    const { tenant_id, principal, idempotency_key, settings } = ctx;
    const folder = await ctx.tenantFolder('ODD_ROOT');
    const attached = await ctx.attach({ kind: 'blob', content_type: 'text/plain', data: Buffer.from('bytes') });
    return { tenant_id, principal, idempotency_key, settings, folder, attached, secret: await ctx.secrets.get('token') };
  },
  undeclared: (ctx) => ctx.secrets.get('nobody'),
  spill: async (ctx) => {
    process.stderr.write(`the token is ${await ctx.secrets.get('token')}`, () => process.exit(7));
    return new Promise(() => undefined);
  },
  until_aborted: (ctx) =>
    new Promise((_, reject) =>
      ctx.signal.addEventListener('abort', () => reject(new ToolError('CANCELLED', String(ctx.signal.reason.message)))),
    ),
  refuse: () => {
    throw new ToolError('RATE_LIMIT', 'slow down', { retry_after_s: 2, effect: 'none', details: { left: 0 } });
  },
  throw: () => {
    throw new TypeError('oops');
  },
  huge: () => ({ ok: true, text: Buffer.alloc(40 * 2 ** 20, 'x').toString('latin1') }),
  bigint: () => ({ n: 1n }),
  getter: () => ({
    get trap() {
      throw new Error('do not look');
    },
  }),
  nothing: () => undefined,
  block: () => {
    for (;;);
  },
  leak: async () => {
    for (;;) {
      held.push(Buffer.alloc(32 * 2 ** 20, 1));
      await sleep(5);
    }
  },
  take_2_gb: () => {
    for (let mb = 0; mb < 2048; mb += 64) held.push(Buffer.alloc(64 * 2 ** 20, 1));
    return { ok: true };
  },
  fill_heap: () => {
    for (const rows: string[][] = []; ; ) rows.push(Array.from({ length: 10_000 }, (_, at) => `row ${rows.length} ${at}`));
  },
  exit: () => process.exit(7),
  throw_outside: () =>
    new Promise(() => {
      setTimeout(() => {
        throw new Error('outside of its promise');
      });
    }),
  reject_outside: () => {
    void Promise.reject(new Error('nobody waits for this'));
    return new Promise(() => undefined);
  },
  garbage: () => {
    writeSync(CHANNEL_FD, 'what is this?\n');
    return new Promise(() => undefined);
  },
  never: () => new Promise(() => undefined),
};

const traits = {
  version: '1.0.0',
  title: 'Of a spec',
  description: 'A tool of the specs of runtimes, which does what it is asked to.',
  category: 'spec',
  input: { type: 'object', properties: { act: { type: 'string' } }, required: ['act'] },
  output: { type: 'object', properties: { ok: { type: 'boolean' } } },
} as const;
const answer = async ({ act }: { act: string }, ctx: RunContext) => (await answers[act]?.(ctx)) as never;

/** A pack whose tools fail in every way. */
export const pack: Pack = {
  name: 'odd',
  version: '3.1.4',
  settings: { ODD_ROOT: undefined, ODD_SPEED: 'slow' },
  folders: [{ variable: 'ODD_ROOT', sharing: 'ODD_SHARED' }],
  tools: [
    defineTool({ ...traits, name: 'odd_read', effect_class: 'read_internal', run: answer as never }),
    defineTool({
      ...traits,
      name: 'odd_write',
      effect_class: 'commit_low',
      idempotency: { discriminating: ['act'] },
      run: answer as never,
      compensate: async (effect: object) => ({ undone: effect }),
      reconcile: async () => ({ kind: 'did_not_happen' as const }),
      verify: async () => ({ kind: 'contradicted' as const, why: 'not there' }),
      changedNothing: (output: object) => 'same' in output,
      sanity: [{ name: 'no_pid', severity: 'warn' as const, holds: (_: unknown, output: object) => !('pid' in output) }],
    } as never),
  ] as Tool[],
};
