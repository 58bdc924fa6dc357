import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const EXAMPLES = 'examples/producers';
const ENV = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };

/** The interpreter that has confluent-kafka. */
async function python(): Promise<string> {
  const { stdout } = await run('bash', ['scripts/real/confluent.sh'], { timeout: 300_000 });
  return stdout.trim();
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
