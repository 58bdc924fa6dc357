import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Command, Outcome } from '../command.js';
import { DemoFault } from '../demo/demo-fault.js';
import { type Filled, fillDemo } from '../demo/fill-demo.js';
import { isRunning, OwnInstallation } from '../demo/own-installation.js';

type Env = Readonly<Record<string, string | undefined>>;

const OWN_FOLDER = '.countersign-demo';

/** What was made and where to look, as lines. */
export function demoLines(url: string, { made, told, your_key }: Filled): string[] {
  if (!made) return [`The demo data is there already: nothing was made. Open ${url}/`];
  const width = Math.max(...told.map(({ what }) => what.length));
  return [
    'The demo data is there. Where to look:',
    ...told.map(({ what, where }) => `  ${what.padEnd(width)}  ${url}${where}`),
    ...(your_key === undefined ? [] : [`Sign in as the person "you" with this key, shown only now: ${your_key}`]),
  ];
}

async function adminKey(values: { key?: string | undefined }, env: Env): Promise<string> {
  const given = values.key ?? env.COUNTERSIGN_KEY;
  if (given) return given;
  const file = path.join(env.COUNTERSIGN_DATA_DIR || '.countersign', 'admin.key');
  return (
    await readFile(file, 'utf8').catch(() => {
      throw new DemoFault(`no key: set --key or COUNTERSIGN_KEY, or run the demo where ${file} exists`);
    })
  ).trim();
}

/** Fills an own installation and keeps it running until it is stopped. */
async function own(port: number, env: Env): Promise<void> {
  const installation = await OwnInstallation.start(path.resolve(OWN_FOLDER), port, env);
  // The signal reaches the installation too, which ends by itself.
  process.once('SIGINT', () => undefined);
  process.once('SIGTERM', () => void installation.stop());
  try {
    const filled = await fillDemo(installation.url, installation.admin_key);
    const lines = [...demoLines(installation.url, filled), `The installation runs until you press Ctrl+C; its data is in ${OWN_FOLDER}.`];
    process.stdout.write(`${lines.join('\n')}\n`);
  } catch (fault) {
    await installation.stop();
    throw fault;
  }
  await installation.ended();
}

async function demonstrate(args: readonly string[], env: Env): Promise<Outcome> {
  const options = { url: { type: 'string' }, key: { type: 'string' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const port = Number(env.COUNTERSIGN_PORT || 7070);
  const url = (values.url ?? (env.COUNTERSIGN_URL || `http://127.0.0.1:${port}`)).replace(/\/+$/, '');
  const isNamed = values.url !== undefined || Boolean(env.COUNTERSIGN_URL);
  if (isNamed || (await isRunning(url))) return { code: 0, lines: demoLines(url, await fillDemo(url, await adminKey(values, env))) };
  await own(port, env);
  return { code: 0, lines: [] };
}

/** `countersign demo`: fills an installation with calls, approvals and sagas of fake business systems. */
export const demo: Command = {
  name: 'demo',
  usage: '[--url <address>] [--key <admin key>]',
  about: 'fills a running installation that has the pack demo, or starts one of its own, with cases, approvals and sagas to look at',
  async run(args, env) {
    try {
      return await demonstrate(args, env);
    } catch (fault) {
      if (fault instanceof DemoFault) return { code: 1, lines: [fault.message] };
      return { code: 2, lines: [(fault as Error).message, `usage: npm run countersign -- demo ${demo.usage}`] };
    }
  },
};
