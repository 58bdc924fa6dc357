import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PYTHON = path.join(process.cwd(), 'test/conformance/python/verify_log.py');

/** What a verifier of whole logs is given. */
export interface Question {
  base: string;
  token: string;
  vkey: string;
  witnesses?: readonly string[];
  /** File with an earlier checkpoint. */
  earlier?: string;
  /** Files with answers of `/v1/audit/proof`, for the verifier in Go. */
  records?: readonly string[];
}

export interface Verdict {
  code: number;
  output: string;
}

async function verdict(token: string, program: string, args: readonly string[]): Promise<Verdict> {
  const ran = await run(program, args, { env: { ...process.env, COUNTERSIGN_TOKEN: token } }).catch((error) => error);
  return { code: ran.code ?? 0, output: `${ran.stdout}${ran.stderr}` };
}

function inGo({ base, token, vkey, witnesses = [], earlier, records = [] }: Question): Promise<Verdict> {
  const program = process.env.COUNTERSIGN_TEST_VERIFY_LOG;
  if (!program) throw new Error('COUNTERSIGN_TEST_VERIFY_LOG is missing: eval "$(bash scripts/real/go.sh up)"');
  const kept = [...(earlier ? ['-earlier', earlier] : []), ...records.flatMap((file) => ['-record', file])];
  return verdict(token, program, [...witnesses.flatMap((key) => ['-witness', key]), ...kept, base, vkey]);
}

function inPython({ base, token, vkey, witnesses = [], earlier }: Question): Promise<Verdict> {
  const kept = earlier ? ['--earlier', earlier] : [];
  return verdict(token, 'python3', ['-B', PYTHON, ...witnesses.flatMap((key) => ['--witness', key]), ...kept, base, vkey]);
}

/** Verifiers of whole logs that share no code with Countersign, by language. */
export const strangers = { Go: inGo, Python: inPython } as const;
