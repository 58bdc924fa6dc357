import type { ToolContract } from '@countersign/contracts';
import type { UndoTerms } from './approval-facts.schemas.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** A duration in whole days, hours, minutes or seconds. */
export function duration(ms: number): string {
  const [unit, name] =
    ms >= 2 * DAY_MS
      ? [DAY_MS, 'days']
      : ms >= 2 * HOUR_MS
        ? [HOUR_MS, 'hours']
        : ms >= 2 * MINUTE_MS
          ? [MINUTE_MS, 'minutes']
          : [1000, 'seconds'];
  return `${Math.floor(ms / unit)} ${name}`;
}

const WHY_NOT: Readonly<Record<ToolContract['reversibility'], string>> = {
  irreversible: 'The tool declares that its effect is irreversible',
  reversible: 'The tool has no undo; another call can reverse the effect, and a person must start it',
  semantic: 'The tool has no undo; only an opposite effect compensates for it, and a person must start it',
  side_effects: 'The tool has no undo; the effect can be taken back by hand, but not what others did because of it',
};

type Undone = Pick<ToolContract, 'name' | 'reversibility' | 'has_compensate' | 'undo_within_ms'>;

/** Whether the effect can be undone after it happened, by which tool and until when. `ended_at_ms`: when it happened; null: not yet. */
export function undoTerms({ name, reversibility, has_compensate, undo_within_ms }: Undone, ended_at_ms: number | null): UndoTerms {
  if (!has_compensate || reversibility === 'irreversible')
    return { possible: false, by_tool: null, within_ms: null, until: null, text: WHY_NOT[has_compensate ? 'irreversible' : reversibility] };
  const within_ms = undo_within_ms ?? null;
  const until = within_ms !== null && ended_at_ms !== null ? new Date(ended_at_ms + within_ms).toISOString() : null;
  const kept = reversibility === 'side_effects' ? ', but not what others did because of it' : '';
  const how = reversibility === 'semantic' ? 'an opposite effect' : 'the state before';
  const when =
    within_ms === null ? 'without a time limit' : until === null ? `within ${duration(within_ms)} after it ran` : `until ${until}`;
  return {
    possible: true,
    by_tool: name,
    within_ms,
    until,
    text: `An operator can undo it ${when} (${how}${kept}), unless a later effect prevents that`,
  };
}
