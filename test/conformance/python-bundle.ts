import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventSchemas } from '@countersign/contracts';

const SCRIPT = path.join(process.cwd(), 'test/conformance/python/verify_bundle.py');
const RELEASED = eventSchemas.map(({ schema }) => createHash('sha256').update(schema).digest('hex'));

export interface BundleOptions {
  witnesses?: readonly string[];
  /** File with the certificate of a time-stamping authority. */
  tsa?: string;
  /** SHA-256 of the schemas that are trusted; those of this release unless given, all if empty. */
  schemas?: readonly string[];
}

/** What the verifier of bundles in Python says of the text of a bundle. */
export function pythonBundle(text: string, vkey: string, { witnesses = [], tsa, schemas = RELEASED }: BundleOptions = {}) {
  const dir = mkdtempSync(path.join(tmpdir(), 'python-bundle-'));
  try {
    const file = path.join(dir, 'bundle.json');
    writeFileSync(file, text);
    const options = [...witnesses.flatMap((key) => ['--witness', key]), ...(tsa ? ['--tsa', tsa] : [])];
    const { status, stdout, stderr } = spawnSync('python3', ['-B', SCRIPT, ...options, file, vkey, ...schemas], { encoding: 'utf8' });
    return { status, output: stdout + stderr };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
