import { attemptKey, type CompensatedEffect, callError, extrasOf } from '@countersign/contracts';
import { type AfterUndo, confirmed, type ReconcileAnswer, type Recovery } from '@countersign/domain';
import { jsonText, type ToolJob, UnsentAnswer } from '@countersign/runtimes';
import type { Compensates } from '@countersign/tool-kit';
import type { Job } from '../calls/job.js';
import type { Finishing } from './finishing.js';
import type { LoadedTool } from './loaded-tool.js';
import type { Seen } from './recorded-result.js';

const UNCONFIRMED = 'unconfirmed: the tool could not check whether the effect is undone';

/** The idempotency key of the run that had the effect. */
const keyOf = ({ idempotency_key, attempt }: CompensatedEffect): string => attemptKey(idempotency_key, attempt);

/** Runs undos of earlier effects, and checks afterwards whether the effects still exist. */
export class UndoRuns {
  constructor(private readonly finishing: Finishing) {}

  /** Recovery of an undo whose response is lost: it is never sent again, and is reconciled only if the tool has a verify. */
  recoveryOf({ recovery, asks }: LoadedTool): Recovery {
    return { ...recovery, takes_key: false, has_reconcile: asks.has('verify') };
  }

  /** @param tool_job the job of the runtime, with the inputs of the effect @throws what the tool throws */
  async run(loaded: LoadedTool, job: Job, tool_job: ToolJob): Promise<Seen> {
    const effect = job.call.compensates as CompensatedEffect;
    if (!loaded.runtime.compensate || !loaded.asks.has('compensate')) return cannot(loaded);
    const compensates: Compensates = {
      call_id: effect.call_id,
      idempotency_key: keyOf(effect),
      inputs: tool_job.input,
      output: job.undone?.output ?? null,
      version: loaded.contract.version,
    };
    const answer = await loaded.runtime.compensate(tool_job, compensates);
    return seenAfter(recordedAnswer(loaded, answer), await this.look(loaded, job));
  }

  /** Reconciles an undo whose response was lost: checks whether the effect still exists. */
  async ask(loaded: LoadedTool, job: Job): Promise<ReconcileAnswer> {
    if (!job.undone) return { kind: 'cannot_tell', why: 'the record of the effect to undo cannot be read' };
    const seen = await this.look(loaded, job);
    if (seen === 'verified') return { kind: 'did_not_happen' };
    if (seen === 'contradicted') return { kind: 'happened', output_json: 'null', truncated: false, warnings: [] };
    return { kind: 'cannot_tell', why: 'the tool cannot tell whether the effect still exists' };
  }

  /** Undefined: the tool has no check. */
  private async look(loaded: LoadedTool, job: Job): Promise<AfterUndo | undefined> {
    if (!loaded.asks.has('verify')) return undefined;
    const effect = job.call.compensates as CompensatedEffect;
    return (await this.finishing.readBack(job, loaded, job.undone?.output ?? null, keyOf(effect))).kind;
  }
}

function cannot({ id }: LoadedTool): Seen {
  const error = callError('VALIDATION_ERROR', `${id} cannot undo its effects`, {
    class: 'semantic',
    details: { reason: 'tool_cannot_undo' },
  });
  return { kind: 'refused', error, effect: 'none' };
}

/** The response of an undo has no schema: any JSON within the limit is stored. */
function recordedAnswer({ contract }: LoadedTool, answer: unknown): Extract<Seen, { kind: 'output' }> {
  const without = (why: string) => ({ kind: 'output' as const, output_json: 'null', truncated: true, warnings: [why] });
  if (answer instanceof UnsentAnswer) return without(`the result of the undo was omitted: ${answer.message}`);
  try {
    const output_json = jsonText(answer);
    if (Buffer.byteLength(output_json) > contract.max_output_bytes) return without('the result of the undo was omitted: it is too large');
    return { kind: 'output', output_json, truncated: false, warnings: [] };
  } catch {
    return without('the result of the undo was omitted: it is not JSON');
  }
}

function seenAfter(seen: Extract<Seen, { kind: 'output' }>, looked: AfterUndo | undefined): Seen {
  switch (confirmed(looked)) {
    case 'not_asked':
      return seen;
    case 'confirmed':
      return { ...seen, extras: extrasOf({ verified: true }) };
    case 'unconfirmed':
      return { ...seen, warnings: [...seen.warnings, UNCONFIRMED], extras: extrasOf({ verified: false }) };
    case 'failed': {
      const message = 'the tool reported that it undid the effect, but the effect still exists';
      return {
        kind: 'refused',
        error: callError('PROVIDER_ERROR', message, { details: { reason: 'effect_still_there' } }),
        effect: 'none',
      };
    }
  }
}
