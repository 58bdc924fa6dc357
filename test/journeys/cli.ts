import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs the `countersign` command of this tree with additional environment; returns its exit code and output. */
export async function countersign(env: Record<string, string>, ...args: string[]): Promise<{ code: number; output: string }> {
  const cli = path.join(process.cwd(), 'node_modules/.bin/countersign');
  const ran = await run(process.execPath, [cli, ...args], { env: { ...process.env, ...env } }).catch((error) => error);
  return { code: ran.code ?? 0, output: `${ran.stdout}${ran.stderr}` };
}
