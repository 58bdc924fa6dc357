import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { scrub } from '@countersign/cli/commands/scrub';
import { verify } from '@countersign/cli/commands/verify';
import { witness } from '@countersign/cli/commands/witness';
import type { Bundle } from '@countersign/evidence';
import { type Answer, Api } from '../../journeys/api.js';
import { until } from './honest-history.js';
import type { Finder, Target } from './product-attack.js';

/** What each finder said; a finder that is missing found nothing. */
export type Found = Partial<Record<Finder, string>>;

/** What the server found if it did not start at all. */
export const REFUSED = 'refused to start';

const lastLines = (output: string) => output.trim().split('\n').slice(-4).join('\n').slice(-1_500);

/** Starts the installation on its data. Returns why it refused to start, with a word about damaged or missing data. */
async function refusal({ installation, history }: Target): Promise<string | undefined> {
  try {
    await installation.up({ ...history.env });
    return undefined;
  } catch (cause) {
    const said = lastLines(installation.process.output);
    if (installation.process.alive || !/damaged|missing|broken|differs|cannot be/.test(said)) throw cause;
    return `${REFUSED}: ${said}`;
  }
}

async function readiness({ installation }: Target): Promise<string> {
  return ((await (await fetch(`${installation.base}/readyz`)).json()) as { status: string }).status;
}

/** Why it reported damage: `tampered`, a security event in its log, and refused writes belong together. */
async function reported(target: Target, refused: Answer<unknown>): Promise<string> {
  await until('readiness says tampered', async () => ((await readiness(target)) === 'tampered' ? true : undefined));
  const line = target.installation.process.output.split('\n').find((each) => each.includes('"event":"damage_found"'));
  if (!line) throw new Error('tampered without a line damage_found');
  if (refused.status !== 409) throw new Error(`tampered, and a write was answered ${refused.status}`);
  return (JSON.parse(line) as { reason?: string }).reason ?? line;
}

/** Writes once, and waits until the server reports damage, or has signed the write. A server that must find damage may sign before it does. */
async function fromServer(target: Target, isExpected: boolean): Promise<string | undefined> {
  const { installation, history } = target;
  const [admin, auditor] = [installation.admin(), new Api(installation.base, history.auditor)];
  const write = (path: string) => admin.call({ tool: 'write_file', inputs: { path, content: 'x', mode: 'create' } });
  const written = await until('a write is answered', async () => {
    const answer = await write('after.txt');
    return answer.status === 200 || answer.status === 409 ? answer : undefined;
  });
  if (written.status === 409) return reported(target, written);
  return until('the server signs or reports damage', async () => {
    if ((await readiness(target)) === 'tampered') return reported(target, await write('later.txt'));
    if (isExpected) return undefined;
    const { status } = await auditor.request('GET', `/v1/audit/bundle?call_id=${written.body.call_id}`);
    return status === 200 ? '' : undefined;
  }).then((found) => found || undefined);
}

async function fromScrub({ installation }: Target): Promise<string | undefined> {
  const { code, lines } = await scrub.run(['--views', '--url', installation.base], { COUNTERSIGN_KEY: installation.admin().key });
  if (code === 0) return undefined;
  if (!lines[0]?.startsWith('DAMAGED')) throw new Error(`the scrub ended with: ${lines.join('\n')}`);
  return lines[1];
}

/** A witness that has seen the honest log. It is run on a copy of its folder. */
async function fromWitness({ installation, history }: Target): Promise<string | undefined> {
  const dir = path.join(installation.dir, 'witness');
  cpSync(history.file('witness'), dir, { recursive: true });
  const args = ['--vkey', history.vkey, '--log', installation.base, '--dir', dir, '--once'];
  const { code, lines } = await witness.run(args, { COUNTERSIGN_TOKEN: history.auditor });
  if (code === 0) return undefined;
  const said = lines.join('\n');
  if (!/CONTRADICTION|STOPPED|rejected its entries: 409/.test(said)) throw new Error(`the witness ended with: ${said}`);
  return said;
}

/** A client that kept two bundles: it asks for the bundle again and verifies that one log leads from one to the next. */
async function fromClient({ installation, history }: Target): Promise<string | undefined> {
  const auditor = new Api(installation.base, history.auditor);
  const answer = await auditor.request<Bundle>('GET', `/v1/audit/bundle?call_id=${history.call_id}`);
  if (answer.status !== 200) return `the bundle was answered ${answer.status}: ${JSON.stringify(answer.body)}`;
  const now = path.join(installation.dir, 'now.json');
  writeFileSync(now, JSON.stringify(answer.body));
  const size = Number(answer.body.checkpoint.split('\n')[1]);
  const [kept, earlier] = [history.file('later.json'), history.file('earlier.json')];
  const pairs = size < history.kept_size ? [[kept, now]] : [[now, kept], [kept, earlier]]; // biome-ignore format: pairs
  for (const [later, since] of pairs as [string, string][]) {
    const args = [later, '--vkey', history.vkey, '--since', since, '--log', installation.base];
    const { code, lines } = await verify.run(args, { COUNTERSIGN_TOKEN: history.auditor });
    if (code !== 0) return lines.join('\n');
  }
  return undefined;
}

/** Starts a forged installation and asks everybody. */
export async function askAll(target: Target, expected: readonly Finder[]): Promise<Found> {
  const refused = await refusal(target);
  if (refused !== undefined) return { server: refused };
  const found = {
    server: await fromServer(target, expected.includes('server')),
    scrub: await fromScrub(target),
    witness: await fromWitness(target),
    client: await fromClient(target),
  };
  return Object.fromEntries(Object.entries(found).filter(([, said]) => said !== undefined));
}
