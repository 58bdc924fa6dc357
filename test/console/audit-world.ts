import { COSIGNATURE_V1, cosign, type NoteSigner, noteSigner, parseNote } from '@countersign/proofs';
import type { Api, Envelope } from '../journeys/api.js';
import type { PageOptions } from './console-world.js';
import type { ObservedPage } from './observed-page.js';
import { RecordsWorld } from './records-world.js';

/** A witness that cosigns on request, as `countersign witness` does after its checks. */
const WITNESS: NoteSigner = noteSigner('witness.example', Buffer.alloc(32, 9), COSIGNATURE_V1);

/** Another installation's log. */
export const STRANGER: NoteSigner = noteSigner('elsewhere.example/log', Buffer.alloc(32, 3));

const ANSWER_TIMEOUT_MS = 20_000;

/** A platform with a witness, an auditor, and the keys that the auditor has from elsewhere. */
export class AuditWorld {
  private constructor(
    readonly records: RecordsWorld,
    readonly vkey: string,
  ) {}

  static async start(): Promise<AuditWorld> {
    const records = await RecordsWorld.start({ COUNTERSIGN_AUDIT_WITNESSES: `heads:${WITNESS.verifier.vkey}` });
    await answered(records.you, '/v1/audit/checkpoint');
    const { headers } = await records.you.request('GET', '/v1/audit/checkpoint');
    return new AuditWorld(records, headers.get('countersign-vkey') as string);
  }

  close(): Promise<void> {
    return this.records.close();
  }

  /** What an auditor pins: the key of the log, and the witness if its cosignatures are required. */
  pins({ with_witness = false } = {}): string {
    const witnesses = with_witness ? [{ key: WITNESS.verifier.vkey, checks: 'heads' }] : [];
    return JSON.stringify({ log: this.vkey, witnesses });
  }

  /** Cosigns the newest checkpoint. */
  async cosign(): Promise<void> {
    const { body: note } = await this.records.you.request<string>('GET', '/v1/audit/checkpoint');
    const { text } = parseNote(note) as NonNullable<ReturnType<typeof parseNote>>;
    const line = cosign(text, Math.floor(Date.now() / 1000), WITNESS);
    const { status, body } = await this.records.you.request('POST', '/v1/audit/cosignatures', { note: note + line });
    if (status !== 200 && status !== 201) throw new Error(`POST cosignatures answered ${status}: ${JSON.stringify(body)}`);
  }

  /** A case with calls that ran, waited for a person and were denied, all of it and the leaf of the case covered by a checkpoint. */
  async provenCase(): Promise<{ case_id: string; call: Envelope }> {
    const { records } = this;
    const case_id = await records.openCase('Close out supplier Nordwind');
    const call = await records.waiting({ case_id });
    await records.vote(call, 'approve');
    await records.vote(await records.waiting({ case_id }), 'deny');
    await answered(records.you, `/v1/audit/bundle?case_id=${case_id}`, (body) => 'case' in (body as object));
    return { case_id, call };
  }

  /** The evidence of a call, as the gateway sends it. */
  async evidence(of: string): Promise<string> {
    const { status, body } = await this.records.you.request<object>('GET', `/v1/audit/bundle?${of}`);
    if (status !== 200) throw new Error(`GET bundle answered ${status}`);
    return JSON.stringify(body);
  }

  /** The same, once a checkpoint covers it. */
  async waitEvidence(of: string): Promise<string> {
    await answered(this.records.you, `/v1/audit/bundle?${of}`);
    return this.evidence(of);
  }

  /** Size of the newest checkpoint. */
  async newestSize(): Promise<number> {
    const { body } = await this.records.you.request<string>('GET', '/v1/audit/checkpoint');
    return Number(body.split('\n')[1]);
  }

  /** A page of an auditor, with keys that were pinned and a checkpoint that was seen in it before. */
  async page({ pins, seen, ...more }: PageOptions & { pins?: string | undefined; seen?: object | undefined } = {}): Promise<ObservedPage> {
    const observed = await this.records.console.page({ key: this.records.you.key, ...more });
    const kept = [
      ['countersign:audit-keys', pins && [{ text: pins, pinned_at: new Date().toISOString() }]],
      ['countersign:audit-checkpoint', seen],
    ] as const;
    await observed.page.addInitScript((items) => {
      // once a page: what the console writes later stays
      for (const [name, value] of items)
        if (value && localStorage.getItem(name) === null) localStorage.setItem(name, JSON.stringify(value));
    }, kept);
    return observed;
  }
}

/** Waits until a route answers with 200 and what is expected: a checkpoint covers a record within a second. */
async function answered(api: Api, address: string, isExpected: (body: unknown) => boolean = () => true): Promise<void> {
  for (const end = performance.now() + ANSWER_TIMEOUT_MS; ; ) {
    const { status, body } = await api.request('GET', address);
    if (status === 200 && isExpected(body)) return;
    if (performance.now() > end) throw new Error(`GET ${address} still answers ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
