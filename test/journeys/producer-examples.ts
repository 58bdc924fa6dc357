import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const EXAMPLES = 'examples/producers';
const CACHE = process.env.COUNTERSIGN_CACHE ?? path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'countersign');
const VENV = path.join(CACHE, 'producers-confluent-kafka-2.16.1');
const ENV = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };

/** Installs the Python client from its wheels, once, outside of the tree. @returns the interpreter that has it */
async function python(): Promise<string> {
  const interpreter = path.join(VENV, 'bin/python');
  if (existsSync(path.join(VENV, 'whole'))) return interpreter;
  await run('python3', ['-m', 'venv', '--clear', VENV]);
  await run(interpreter, ['-m', 'pip', 'install', '-q', '--only-binary', ':all:', '-r', `${EXAMPLES}/requirements.txt`], {
    timeout: 300_000,
  });
  await run('touch', [path.join(VENV, 'whole')]);
  return interpreter;
}

/** The answer that an example of `examples/producers` prints. */
export async function runExample(
  language: 'javascript' | 'python',
  env: Record<string, string>,
  { tool, inputs }: { tool: string; inputs: object },
): Promise<Record<string, unknown>> {
  const [command, ...args] =
    language === 'javascript'
      ? [process.execPath, `${EXAMPLES}/produce.mjs`, JSON.stringify({ tool, inputs })]
      : [await python(), `${EXAMPLES}/produce.py`, tool, JSON.stringify(inputs)];
  const { stdout } = await run(command as string, args, { env: { ...ENV, ...env }, timeout: 60_000 });
  return JSON.parse(stdout) as Record<string, unknown>;
}
