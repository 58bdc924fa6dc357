import { type CallError, ERASED, parseCallId, sealedKeyIds } from '@countersign/contracts';
import { type CallEvent, type NotUndoable, notUndoable, undoFault } from '@countersign/domain';
import type { Recorded } from '@countersign/event-log';
import { openedBlob, type Personal } from '@countersign/process';
import type { Blobs } from '@countersign/store';
import type { Arbiter } from '../arbiter/arbiter.js';
import type { Job } from '../calls/job.js';
import { outcomeOf } from '../calls/outcomes.js';
import { type UndoneEffect, undoesOwn } from '../calls/undone-effect.js';
import type { EndsReader } from '../partitions/ends-reader.js';
import type { Partitions } from '../partitions/partitions.js';

type Ended = Extract<Recorded, { event_type: 'tool_executed' | 'tool_call_resolved' }>['event'];

/** Sources of recorded effects. */
export interface UndoneEffectsParts {
  arbiter: Pick<Arbiter, 'rowsOf'>;
  reader: Pick<EndsReader, 'endEventAt'>;
  partitions: Partitions;
  blobs: Pick<Blobs, 'get'>;
  personal: Personal | undefined;
  now_ms(): number;
}

/** Looks up the effect that a call undoes: the row shows whether it exists, the log has its output. */
export class UndoneEffects {
  constructor(private readonly parts: UndoneEffectsParts) {}

  /**
   * Before a run: `look_again` once the effect is on the job. If it cannot be undone, the call ends without a run. That is known only once
   * everything before its start is read: another executor may have ended the call of the effect.
   */
  async ready(job: Job): Promise<Extract<CallEvent, 'look_again' | 'stopped_before_fire'>> {
    await this.parts.partitions.of(job).startKnown(job.call_id);
    const found = await this.find(job);
    if (typeof found !== 'string') {
      job.undone = found;
      return 'look_again';
    }
    job.verdict = { kind: 'ended', outcome: failedOutcome(job, notUndoable(found), this.parts.now_ms()) };
    return 'stopped_before_fire';
  }

  /** For a call that may have run: its tool checks the effect, so only the output is needed. */
  async again(job: Job): Promise<void> {
    const found = await this.find(job);
    if (typeof found !== 'string') job.undone = found;
  }

  /** @throws if the store or the log is unavailable. */
  private async find(job: Job): Promise<UndoneEffect | NotUndoable> {
    const { call_id, idempotency_key, attempt, late_offset } = job.call.compensates as NonNullable<Job['call']['compensates']>;
    const rows = (await this.parts.arbiter.rowsOf([idempotency_key])).get(idempotency_key) ?? [];
    const row = rows.find((each) => each.attempt === attempt && each.call_id === call_id);
    const partition = this.parts.partitions.get(job.lane, parseCallId(call_id)?.partition ?? job.partition);
    const recent = partition.endOf(call_id);
    const fault: NotUndoable | undefined = undoFault(row && row.state !== 'compensated' && recent ? recent.state : row?.state);
    const isLate = fault === 'effect_has_not_happened' && late_offset !== null;
    if (fault && !isLate) return fault;
    const end_offset = isLate ? late_offset : (recent?.end_offset ?? row?.end_offset);
    const at = end_offset == null ? undefined : await this.parts.reader.endEventAt(partition, end_offset);
    if (at === 'dropped') return 'output_not_kept';
    if (at?.event_type !== 'tool_executed' && at?.event_type !== 'tool_call_resolved') return 'effect_unknown';
    if (at.event.meta.call_id !== call_id || at.event.outcome.effect !== 'happened') return 'effect_has_not_happened';
    return undoesOwn(job) ? this.withOutput(job, at.event) : { output: null, also: at.event.also };
  }

  private async withOutput(job: Job, { outcome, also }: Ended): Promise<UndoneEffect | NotUndoable> {
    const text = outcome.truncated ? await this.wholeOutput(job, outcome.attachments) : (outcome.output_json ?? 'null');
    if (text === undefined) return 'output_not_kept';
    if (text === ERASED) return 'output_erased';
    if (sealedKeyIds(text).size === 0) return { output: JSON.parse(text) as unknown, also };
    const opened = await this.parts.personal?.text(job.tenant_id, text);
    const erased = opened === undefined || countErased(opened) > countErased(text);
    return erased ? 'output_erased' : { output: JSON.parse(opened) as unknown, also };
  }

  /** The whole output, if its record contains only a part. */
  private async wholeOutput({ tenant_id }: Job, attachments: readonly { kind: string; url: string }[]): Promise<string | undefined> {
    const url = attachments.findLast(({ kind }) => kind === 'blob')?.url;
    const kept = url === undefined ? undefined : await this.parts.blobs.get(tenant_id, url.slice(url.lastIndexOf('/') + 1));
    if (!kept) return undefined;
    const bytes = await openedBlob(this.parts.personal, tenant_id, kept);
    return bytes === 'erased' ? ERASED : bytes.toString();
  }
}

const countErased = (text: string): number => text.split(JSON.stringify(ERASED)).length;

const failedOutcome = (job: Job, error: CallError, now_ms: number) => outcomeOf(job, { status: 'failed', error, effect: 'none' }, now_ms);
