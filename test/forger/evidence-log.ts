import { EventCodec } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';
import { BUNDLE_FORMAT, type Bundle, type BundledRecord, callSummary, plain } from '@countersign/evidence';
import { entryHash, type NoteSigner, noteSigner, recordHash, signCheckpoint, sortedHeads, type TreeHead } from '@countersign/proofs';
import { inclusionProof } from '@countersign/proofs/merkle/tree';
import { headProof, headsRoot } from '@countersign/proofs/record/tree-heads';
import { eventsOf, type Journal, type JournalRecord } from '../journals/journal-file.js';
import { grown } from './history.js';

export const evidenceSigner: NoteSigner = noteSigner('countersign.example/log', Buffer.alloc(32, 7));

interface Signed {
  heads: TreeHead[];
  checkpoint: string;
}

interface Grown {
  tree: ReturnType<typeof grown>;
  size: number;
}

const TIME_MS = 1_790_000_100_000;
const text = (path: readonly Buffer[]) => path.map((hash) => hash.toString('base64'));
const streamOf = ({ topic, partition }: JournalRecord) => `${topic}/${partition}`;

/** A journal as a release with cause hashes would have written it: each event names the hash of the record that caused it. */
export function withCauseHashes(journal: Journal): Journal {
  const codec = new EventCodec();
  const hashes = new Map<string, string>();
  const events = eventsOf(journal);
  const inTime = events.map((_, at) => at).sort((a, b) => hlcOf(events[a]) - hlcOf(events[b]));
  const records = [...journal.records];
  for (const at of inTime) {
    const { event_type, event } = events[at] as (typeof events)[number];
    const cause_hash = hashes.get(event.meta.causation_id ?? '') ?? null;
    const value = codec.encode(event_type, { ...event, meta: { ...event.meta, cause_hash } } as never);
    const record = { ...(journal.records[at] as JournalRecord), value };
    records[at] = record;
    hashes.set(event.meta.event_id, recordHash(record).toString('base64'));
  }
  const ids = new Map(
    records.map(({ value }) => codec.schemaId(value) as number).map((id) => [String(id), codec.schemaText(id) as string]),
  );
  return { ...journal, schemas: Object.fromEntries(ids), records };
}

const hlcOf = (at: PlacedEvent | undefined): number => at?.event.meta.hlc ?? 0;

/** A log whose records are covered by one checkpoint, and the bundles that its server gives. */
export class EvidenceLog {
  readonly events: readonly PlacedEvent[];
  private readonly byId: ReadonlyMap<string, PlacedEvent>;
  private signed: Promise<Signed> | undefined;
  private readonly trees = new Map<string, Grown>();

  constructor(
    readonly journal: Journal,
    private readonly signer: NoteSigner = evidenceSigner,
  ) {
    this.events = eventsOf(journal);
    this.byId = new Map(this.events.map((at) => [at.event.meta.event_id, at]));
    const streams = new Map<string, JournalRecord[]>();
    for (const record of journal.records) streams.set(streamOf(record), [...(streams.get(streamOf(record)) ?? []), record]);
    for (const [stream, records] of streams)
      this.trees.set(stream, {
        tree: grown(records.sort((a, b) => a.offset - b.offset).map((record) => recordHash(record))),
        size: records.length,
      });
  }

  /** The calls of the log that were requested on it. */
  get call_ids(): string[] {
    return this.events.flatMap((at) => (at.event_type === 'tool_call_requested' ? [at.event.meta.call_id as string] : []));
  }

  /** The bundle of one call, with the records of other calls from which its own follow by their hashes. */
  async bundle(call_id: string): Promise<Bundle> {
    const wanted = new Set(this.events.filter((at) => at.event.meta.call_id === call_id));
    for (const { event } of wanted) {
      const cause = event.meta.cause_hash == null ? undefined : this.byId.get(event.meta.causation_id ?? '');
      if (cause) wanted.add(cause);
    }
    const found = this.events.flatMap((at, n) => (wanted.has(at) ? [n] : []));
    const { records, checkpoint } = await this.prove(found.map((n) => this.journal.records[n] as JournalRecord));
    const own = found.map((n) => this.events[n] as PlacedEvent);
    return {
      format: BUNDLE_FORMAT,
      tenant_id: (own[0] as PlacedEvent).event.meta.tenant_id,
      subject: { call_id },
      made_at_ms: TIME_MS,
      calls: [
        callSummary(
          call_id,
          own.filter(({ event }) => event.meta.call_id === call_id),
        ),
      ],
      records: records.map((record, n) => {
        const { event_type, event } = own[n] as PlacedEvent;
        return { ...record, event_type, event: plain(event) };
      }),
      schemas: this.journal.schemas,
      checkpoint,
      vkey: this.signer.verifier.vkey,
    };
  }

  private async sign(): Promise<Signed> {
    const heads = sortedHeads(await Promise.all([...this.trees].map(([stream, tree]) => headOf(stream, tree))));
    const entry = { number: 0, time_ms: TIME_MS, trees: heads.length, heads_root: await headsRoot(heads) };
    return { heads, checkpoint: signCheckpoint({ size: 1, root: entryHash(entry) }, this.signer) };
  }

  private async prove(wanted: readonly JournalRecord[]) {
    this.signed ??= this.sign();
    const { heads, checkpoint } = await this.signed;
    const records = await Promise.all(
      wanted.map(async ({ value, ...record }): Promise<Omit<BundledRecord, 'event_type' | 'event'>> => {
        const { tree, size } = this.trees.get(streamOf({ ...record, value })) as Grown;
        const index = heads.findIndex(({ topic, partition }) => topic === record.topic && partition === record.partition);
        const proof = {
          tree: { size, path: text(await inclusionProof(tree.subtrees, record.offset, size)) },
          head: { index, path: text(await headProof(heads, index)) },
          entry: { number: 0, time_ms: TIME_MS, trees: heads.length, path: [] },
        };
        return { ...record, value: value.toString('base64'), proof };
      }),
    );
    return { records, checkpoint };
  }
}

async function headOf(stream: string, { tree, size }: Grown) {
  const at = stream.lastIndexOf('/');
  return { topic: stream.slice(0, at), partition: Number(stream.slice(at + 1)), size, root: await tree.root };
}
