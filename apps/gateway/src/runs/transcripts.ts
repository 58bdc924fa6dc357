import { Refusal, tooManySubjects } from '@countersign/calls';
import { canonicalText, type Principal, SEALED_KEYS_MAX } from '@countersign/contracts';
import { type ConfigurationState, personalRules, unpackCall } from '@countersign/domain';
import { Masker } from '@countersign/outbound';
import type { AppDeps } from '@countersign/process';
import { type LogPosition, listCalls, readRunTranscript } from '@countersign/store';
import type { OperatorCommands } from '../usage/operator-commands.js';
import type { TranscriptRequest } from './transcript-request.js';

const SECRETS_MAX = 500;
const CALLS_AT_ONCE = 500;

/** A stored transcript: its blob and its size. */
export interface KeptTranscript {
  blob: string;
  bytes: number;
  messages: number;
  kept_at_ms: number;
  at: LogPosition;
}

/** Transcripts of runs: secrets masked, personal data encrypted, stored as blobs, with an event that contains the digest. */
export class Transcripts {
  constructor(
    private readonly deps: Pick<AppDeps, 'blobs' | 'vault' | 'store' | 'clock' | 'personal'>,
    private readonly state: () => ConfigurationState,
    private readonly commands: OperatorCommands,
  ) {}

  /** Encrypted for its subjects and for all subjects of the calls of the run: the erasure of any of them erases the transcript. */
  async keep(tenant_id: string, run_id: string, request: TranscriptRequest, by: Principal): Promise<KeptTranscript | Refusal> {
    const { subjects, ...transcript } = request;
    const masked = (await this.masker(tenant_id)).record(transcript);
    const json = canonicalText(masked);
    const sealing = await this.sealing(tenant_id, run_id, subjects);
    if (sealing instanceof Refusal) return sealing;
    const { text, sealed } = sealing ? { text: sealing.seal.json(json), sealed: sealing.sealed } : { text: json, sealed: null };
    const kept = await this.deps.blobs.put(tenant_id, Buffer.from(text), 'application/json');
    const kept_at_ms = this.deps.clock.now_ms();
    const messages = transcript.messages.length;
    const about = { run_id, blob: kept.name, bytes: kept.bytes, messages, sealed, by, kept_at_ms };
    const at = await this.commands.say(tenant_id, 'run_transcript_kept', about);
    return { blob: kept.name, bytes: kept.bytes, messages, kept_at_ms, at };
  }

  /** The newest transcript with secrets masked; null if there is none, `erased` if its key was destroyed. */
  async read(tenant_id: string, run_id: string): Promise<{ blob: string; content: unknown } | null> {
    const { store, blobs, personal } = this.deps;
    const row = await readRunTranscript(store, tenant_id, run_id);
    const bytes = row && (await blobs.get(tenant_id, row.blob));
    if (!row || !bytes) return null;
    const text = bytes.toString();
    return { blob: row.blob, content: JSON.parse(personal ? await personal.text(tenant_id, text) : text) as unknown };
  }

  /** Masks of all current secrets of the tenant. */
  private async masker(tenant_id: string): Promise<Masker> {
    const { vault, clock } = this.deps;
    const facts = [...(await vault.list(tenant_id)), ...(await vault.list(''))].slice(0, SECRETS_MAX);
    const now_ms = clock.now_ms();
    const values = await Promise.all(facts.map(({ name, owner }) => vault.resolve({ tenant_id, user_id: owner, name }, now_ms)));
    return new Masker([...new Set(values.flatMap((found) => ('value' in found ? [found.value] : [])))]);
  }

  /** Undefined if the tenant has no personal data rules. */
  private async sealing(tenant_id: string, run_id: string, subjects: readonly string[]) {
    const { personal, clock } = this.deps;
    if (personalRules(this.state(), tenant_id).length === 0 || !personal) return undefined;
    const refs = await this.namedByCalls(tenant_id, run_id);
    return (await personal.sealingAbout(tenant_id, { subjects, refs }, clock.now_ms())) ?? tooManySubjects();
  }

  private async namedByCalls(tenant_id: string, run_id: string): Promise<string[]> {
    const refs = new Set<string>();
    for (let cursor: string | undefined; ; ) {
      const page = await listCalls(this.deps.store, { tenant_id, run_id, limit: CALLS_AT_ONCE, ...(cursor ? { cursor } : {}) });
      for (const { state } of page.items) for (const { subject } of unpackCall(state).call?.sealed ?? []) refs.add(subject);
      if (page.next_cursor === null || refs.size > SEALED_KEYS_MAX) return [...refs];
      cursor = page.next_cursor;
    }
  }
}
