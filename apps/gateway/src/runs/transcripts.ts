import { canonicalText, type Principal, type SealedKey } from '@countersign/contracts';
import { type ConfigurationState, personalRules } from '@countersign/domain';
import { type AppDeps, Masker } from '@countersign/process';
import { type LogPosition, readRunTranscript } from '@countersign/store';
import type { OperatorCommands } from '../usage/operator-commands.js';
import type { Transcript } from './transcript-request.js';

const SECRETS_MAX = 500;

/** A transcript that is kept: where, and how much of it. */
export interface KeptTranscript {
  blob: string;
  bytes: number;
  messages: number;
  kept_at_ms: number;
  at: LogPosition;
}

/** Transcripts of runs: masked, sealed where the tenant's data is personal, kept as blobs, with an event that names the digest. */
export class Transcripts {
  constructor(
    private readonly deps: Pick<AppDeps, 'blobs' | 'vault' | 'store' | 'clock' | 'personal'>,
    private readonly state: () => ConfigurationState,
    private readonly commands: OperatorCommands,
  ) {}

  async keep(tenant_id: string, run_id: string, transcript: Transcript, by: Principal): Promise<KeptTranscript> {
    const masked = (await this.masker(tenant_id)).record(transcript);
    const { text, sealed } = await this.sealed(tenant_id, canonicalText(masked));
    const kept = await this.deps.blobs.put(tenant_id, Buffer.from(text), 'application/json');
    const kept_at_ms = this.deps.clock.now_ms();
    const messages = transcript.messages.length;
    const about = { run_id, blob: kept.name, bytes: kept.bytes, messages, sealed, by, kept_at_ms };
    const at = await this.commands.say(tenant_id, 'run_transcript_kept', about);
    return { blob: kept.name, bytes: kept.bytes, messages, kept_at_ms, at };
  }

  /** The newest, as it was given but for what is masked; null where there is none, `erased` where its key is gone. */
  async read(tenant_id: string, run_id: string): Promise<{ blob: string; content: unknown } | null> {
    const { store, blobs, personal } = this.deps;
    const row = await readRunTranscript(store, tenant_id, run_id);
    const bytes = row && (await blobs.get(tenant_id, row.blob));
    if (!row || !bytes) return null;
    const text = bytes.toString();
    return { blob: row.blob, content: JSON.parse(personal ? await personal.text(tenant_id, text) : text) as unknown };
  }

  /** Of every secret that the tenant has now, whoever it belongs to. */
  private async masker(tenant_id: string): Promise<Masker> {
    const { vault, clock } = this.deps;
    const facts = [...(await vault.list(tenant_id)), ...(await vault.list(''))].slice(0, SECRETS_MAX);
    const now_ms = clock.now_ms();
    const values = await Promise.all(facts.map(({ name, owner }) => vault.resolve({ tenant_id, user_id: owner, name }, now_ms)));
    return new Masker([...new Set(values.flatMap((found) => ('value' in found ? [found.value] : [])))]);
  }

  private async sealed(tenant_id: string, json: string): Promise<{ text: string; sealed: SealedKey[] | null }> {
    const rules = personalRules(this.state(), tenant_id);
    const { personal } = this.deps;
    if (rules.length === 0 || !personal) return { text: json, sealed: null };
    const asked = { tenant_id, rules: [], markings: [], inputs: {}, requested_at_ms: this.deps.clock.now_ms() };
    const { seal, sealed } = await personal.sealing(asked);
    return { text: seal.json(json), sealed };
  }
}
