import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { witness } from '@countersign/cli/commands/witness';
import type { Bundle } from '@countersign/evidence';
import { Api } from '../../journeys/api.js';
import { EmbeddedPlatform } from '../../journeys/embedded-platform.js';

/** Text in the inputs of the first calls, of the same length as what a forger writes there. */
export const HONEST = 'honest';
export const FORGED = 'forged';
/** Small files, so that the history has several. */
const JOURNAL_FILE_BYTES = '65536';
const CALLS = 12;
const INPUT_CHARACTERS = 6_000;
/** A machine under load is slow, not wrong: only what hangs fails by time. */
const WITHIN_MS = 240_000;

/** Repeats work until it returns something. */
export async function until<T>(what: string, work: () => Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + WITHIN_MS; performance.now() < end; await sleep(100)) {
    const found = await work();
    if (found !== undefined) return found;
  }
  throw new Error(`in vain: ${what}`);
}

/** What a client does to get the bundle of a call; undefined while no checkpoint covers it. */
export async function bundleOf(auditor: Api, call_id: string): Promise<Bundle | undefined> {
  const { status, body } = await auditor.request<Bundle>('GET', `/v1/audit/bundle?call_id=${call_id}`);
  return status === 200 ? body : undefined;
}

/**
 * The data folder of a stopped installation with an honest history, an older copy of it, and what a witness and a client kept: made once,
 * copied for each attack.
 */
export class HonestHistory {
  /** The key of the log. */
  vkey = '';
  /** The key of an auditor in this log. */
  auditor = '';
  /** A call of before the older copy. */
  call_id = '';
  /** Size of the checkpoint that the client kept last, and of the newest in the older copy. The witness has cosigned later ones. */
  kept_size = 0;
  old_size = 0;

  private constructor(
    readonly platform: EmbeddedPlatform,
    readonly env: Readonly<Record<string, string>>,
  ) {}

  /** `first_env`: environment of the first calls only. */
  static async make(first_env: Readonly<Record<string, string>> = {}): Promise<HonestHistory> {
    const platform = await EmbeddedPlatform.create({ COUNTERSIGN_JOURNAL_FILE_BYTES: JOURNAL_FILE_BYTES });
    const dir = path.join(platform.dir, 'witness');
    const made = await witness.run(['--new-key', '--dir', dir, '--name', 'witness.example'], {});
    const history = new HonestHistory(platform, { COUNTERSIGN_AUDIT_WITNESSES: `heads:${made.lines[0]}` });
    await platform.up({ ...history.env, ...first_env });
    try {
      await history.write();
    } finally {
      await platform.process.stop();
    }
    return history;
  }

  get dataDir(): string {
    return this.platform.dataDir;
  }

  file(name: string): string {
    return path.join(this.platform.dir, name);
  }

  private async write(): Promise<void> {
    const { platform } = this;
    const admin = platform.admin();
    const auditor = await admin.keyFor('user', 'audra', ['auditor']);
    this.auditor = auditor.key;
    const earlier = await this.firstCalls(admin, auditor);
    writeFileSync(this.file('earlier.json'), JSON.stringify(earlier));
    this.vkey = earlier.vkey;
    await this.lookedThrough();
    await platform.process.stop();
    cpSync(this.dataDir, this.file('old'), { recursive: true });
    this.old_size = readFileSync(path.join(this.dataDir, 'audit', 'checkpoints', '000000000000.ndjson'), 'utf8').split('\n').length - 1;
    await platform.up(this.env);
    const later = await this.laterCalls(admin, auditor);
    writeFileSync(this.file('later.json'), JSON.stringify(later));
    this.kept_size = Number(later.checkpoint.split('\n')[1]);
    await this.lookedThrough();
  }

  private async firstCalls(admin: Api, auditor: Api): Promise<Bundle> {
    const { body } = await admin.request<{ case_id: string }>('POST', '/v1/cases', { title: HONEST });
    let last = '';
    for (let n = 0; n < CALLS; n++) {
      last = await this.call(admin, `first-${n}.txt`, body.case_id);
      if (n === 0) this.call_id = last;
      // Several checkpoints, so that an entry can be skipped.
      if (n % 4 === 3) await until('a checkpoint', () => bundleOf(auditor, last));
    }
    return until('the earlier bundle', () => bundleOf(auditor, this.call_id));
  }

  private async laterCalls(admin: Api, auditor: Api): Promise<Bundle> {
    for (let n = 0; n < CALLS; n++) await this.call(admin, `later-${n}.txt`);
    await admin.request('PUT', '/v1/personal-data/files', { tools: ['write_file'], subjects: ['/path'] });
    await this.call(admin, 'ada.txt');
    copyFileSync(path.join(this.dataDir, 'subject-keys.bin'), this.file('subject-keys.old'));
    const erased = await admin.request('POST', '/v1/subjects/ada.txt/erase', { reason: 'asked' });
    if (erased.status >= 300) throw new Error(`the erasure was answered ${erased.status}`);
    const last = await this.call(admin, 'last.txt');
    await until('a checkpoint', () => bundleOf(auditor, last));
    return until('the later bundle', () => bundleOf(auditor, this.call_id));
  }

  private async call(admin: Api, name: string, case_id?: string): Promise<string> {
    const inputs = { path: name, content: HONEST.padEnd(INPUT_CHARACTERS, '.'), mode: 'create' };
    const { status, body } = await admin.call({ tool: 'write_file', inputs, ...(case_id ? { case_id } : {}) });
    if (status !== 200) throw new Error(`the call was answered ${status}: ${JSON.stringify(body)}`);
    return body.call_id;
  }

  private lookedThrough(): Promise<void> {
    return this.witnessed(this.platform, this.file('witness'));
  }

  /** A witness follows this log until there is nothing new. @throws if it finds a contradiction */
  async witnessed({ base }: EmbeddedPlatform, dir: string): Promise<void> {
    const args = ['--vkey', this.vkey, '--log', base, '--dir', dir, '--once'];
    await until('the witness has seen everything', async () => {
      const { code, lines } = await witness.run(args, { COUNTERSIGN_TOKEN: this.auditor });
      if (code !== 0) throw new Error(lines.join('\n'));
      return lines[0] === 'nothing new' ? true : undefined;
    });
  }

  /** A stopped installation with a copy of this history. */
  async copy(): Promise<EmbeddedPlatform> {
    const copied = await EmbeddedPlatform.create({ COUNTERSIGN_JOURNAL_FILE_BYTES: JOURNAL_FILE_BYTES });
    cpSync(this.dataDir, copied.dataDir, { recursive: true });
    return copied;
  }

  close(): Promise<void> {
    return this.platform.close();
  }
}
