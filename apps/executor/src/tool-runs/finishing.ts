import { callError, extrasOf } from '@countersign/contracts';
import type { EffectSeen } from '@countersign/domain';
import { messageOf, reasonOf } from '@countersign/runtimes';
import type { Verified } from '@countersign/tool-kit';
import { inputsToRun } from '../calls/inputs-to-run.js';
import type { Job } from '../calls/job.js';
import { FullOutputs } from './full-outputs.js';
import type { LoadedTool } from './loaded-tool.js';
import type { Seen } from './recorded-result.js';
import type { RunSurroundings } from './run-surroundings.js';
import { ToolRun } from './tool-run.js';

const VERIFY_TIMEOUT_MS = 10_000;

/** What a read-back says about an earlier effect. */
export interface EffectLook {
  seen: EffectSeen;
  /** What the tool wants people to know. */
  remark?: string | undefined;
}

/** The steps after a run's response: stores a shortened output in full, and reads back the effect of a write. */
export class Finishing {
  private readonly kept: FullOutputs;

  constructor(private readonly around: RunSurroundings) {
    this.kept = new FullOutputs(around.blobs, around.logger);
  }

  /** Undefined if no step follows. Never rejects; bounded by the timeouts of a read-back and of the storage. */
  of(job: Job, loaded: LoadedTool, seen: Seen): Promise<Seen> | undefined {
    if (seen.kind !== 'output' && seen.kind !== 'wrong_shape') return undefined;
    const full = 'full_json' in seen && seen.full_json !== undefined;
    if (!full && !(loaded.verifies && 'answer' in seen)) return undefined;
    return this.finish(job, loaded, seen);
  }

  private async finish(job: Job, loaded: LoadedTool, seen: Answered): Promise<Seen> {
    const whole = seen.kind === 'output' && seen.full_json !== undefined ? await this.kept.keep(job, seen) : seen;
    return loaded.verifies && 'answer' in seen ? afterReadBack(whole, await this.readBack(job, loaded, seen.answer)) : whole;
  }

  /** Whether an earlier effect of the same inputs still exists. Never rejects. */
  async seesEffect(job: Job, loaded: LoadedTool, output: unknown): Promise<EffectLook> {
    const verified = await this.readBack(job, loaded, output);
    return { seen: SEEN[verified.kind], remark: remarkOf(verified) };
  }

  /** @param key of the effect to check, if it is not the call's own. Never rejects. */
  async readBack(job: Job, loaded: LoadedTool, answer: unknown, key?: string): Promise<Verified> {
    const run = new ToolRun(job, loaded, this.around.clock.now_ms() + VERIFY_TIMEOUT_MS, this.around, key);
    const before = job.handle;
    job.handle = run;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Verified>((resolve) => {
      timer = setTimeout(() => {
        run.abort('timeout');
        resolve({ kind: 'cannot_tell', why: 'the read-back timed out' });
      }, VERIFY_TIMEOUT_MS);
    });
    try {
      const input = inputsToRun(job);
      return verdictOf(await Promise.race([loaded.runtime.verify?.(loaded.job(input, run), answer) ?? late, late]));
    } catch (thrown) {
      const cause = job.call.sealed ? 'personal' : messageOf(thrown);
      this.around.logger.warn(
        { event: 'read_back_failed', call_id: job.call_id, tool: job.call.tool, cause },
        'the read-back of an effect failed',
      );
      return { kind: 'cannot_tell', why: messageOf(thrown) };
    } finally {
      // The result belongs to the run that it reads back.
      if (job.handle === run) job.handle = before;
      clearTimeout(timer);
    }
  }
}

const SEEN = { verified: 'there', contradicted: 'not_there', cannot_tell: 'cannot_tell' } as const satisfies Record<
  Verified['kind'],
  EffectSeen
>;

/** Validates the answer of a read-back. @throws what its getters throw. */
function verdictOf(answer: unknown): Verified {
  const { kind, why, remark } = Object(answer) as { kind?: unknown; why?: unknown; remark?: unknown };
  if (kind === 'verified') return remark === undefined ? { kind } : { kind, remark: reasonOf(remark) };
  if (kind === 'contradicted' || kind === 'cannot_tell') return { kind, why: reasonOf(why) };
  return { kind: 'cannot_tell', why: 'the read-back returned an unknown kind of answer' };
}

const remarkOf = (verified: Verified): string | undefined => (verified.kind === 'verified' ? verified.remark : undefined);

/** The warnings of a result, and what its read-back adds. */
function withRemarks(warnings: readonly string[], verified: Verified): string[] {
  const remark = verified.kind === 'verified' ? verified.remark : `the effect could not be verified: ${verified.why}`;
  return remark === undefined ? [...warnings] : [...warnings, remark];
}

type Answered = Extract<Seen, { kind: 'output' | 'wrong_shape' }>;

/** The result of a run after the read-back. A malformed response whose effect exists is a success with a warning. */
function afterReadBack(seen: Answered, verified: Verified): Seen {
  if (verified.kind === 'contradicted') {
    const why = `the tool reported an effect that the read-back did not find: ${verified.why}`;
    return { kind: 'wrong_shape', error: callError('PROVIDER_ERROR', why.slice(0, 2000), { details: { layer: 'verify' } }) };
  }
  if (seen.kind === 'output') {
    const warnings = withRemarks(seen.warnings, verified);
    return { ...seen, warnings, extras: extrasOf({ ...seen.extras, verified: verified.kind === 'verified' }) };
  }
  if (verified.kind === 'cannot_tell') return seen;
  const { output_json = 'null', truncated = false, warnings = [], extras: had } = seen.as_output ?? {};
  const remark = `${seen.error.message}; the read-back found the effect`;
  const extras = extrasOf({ ...had, verified: true, validation_json: seen.error.details_json });
  return { kind: 'output', output_json, truncated, warnings: withRemarks([...warnings, remark], verified), extras };
}
