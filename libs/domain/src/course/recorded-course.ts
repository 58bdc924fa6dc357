import type { AnyEvent, EffectClass, EventType } from '@countersign/contracts';
import type { PlacedEvent } from '../call/evolve.js';

type At<T extends EventType> = Extract<PlacedEvent, { event_type: T }>;

/** Identifies one vote or approval among the records. */
type Named = `${'vote' | 'counted' | 'asked' | 'joined'} ${string}`;

export const placeOf = ({ topic, partition, offset }: Pick<PlacedEvent, 'topic' | 'partition' | 'offset'>): string =>
  `${topic}/${partition}/${offset}`;

/** The classes whose runs need no start. */
const READ_ONLY: ReadonlySet<EffectClass> = new Set(['pure', 'read_internal', 'read_external']);

/** The records of one call, by what other records name of them. */
export class RecordedCourse {
  private readonly places = new Set<string>();
  private readonly names = new Set<Named>();
  /** Revisions with a ruling, and those that may run. */
  private readonly ruled = new Set<number>();
  private readonly allowed = new Set<number>();
  private readonly levels = new Set<string>();
  /** Groups that had a request before it was made, by approval. */
  private readonly askedLevels = new Map<string, number>();
  private readonly first = new Map<EventType, number>();
  /** The highest revision that any record names. */
  revision = 0;
  is_read_only = true;
  has_joined = false;

  constructor(readonly events: readonly PlacedEvent[]) {
    for (const at of events) this.add(at);
  }

  has(name: Named): boolean {
    return this.names.has(name);
  }

  hasPlace(place: string): boolean {
    return this.places.has(place);
  }

  hasRuling(revision: number): boolean {
    return this.ruled.has(revision);
  }

  /** True if a ruling or a grant of this revision lets the call run. */
  mayRun(revision: number): boolean {
    return this.allowed.has(revision);
  }

  hasLevel(approval_id: string, rule: string | null, level: number): boolean {
    const isOfRequest = rule === null && (this.askedLevels.get(approval_id) ?? 0) >= level;
    return isOfRequest || this.levels.has(`${approval_id} ${rule} ${level}`);
  }

  /** True if a record of this type is on the same topic before this one. */
  hasBefore(type: EventType, { offset }: PlacedEvent): boolean {
    return (this.first.get(type) ?? Number.POSITIVE_INFINITY) < offset;
  }

  private add(at: PlacedEvent): void {
    this.places.add(placeOf(at));
    this.first.set(at.event_type, Math.min(this.first.get(at.event_type) ?? Number.POSITIVE_INFINITY, at.offset));
    this.revision = Math.max(this.revision, revisionOf(at));
    switch (at.event_type) {
      case 'tool_call_requested':
        this.is_read_only = READ_ONLY.has(at.event.call.effect_class);
        return;
      case 'policy_decided':
        this.ruling(at);
        return;
      case 'approval_requested':
        this.names.add(`asked ${at.event.approval_id}`);
        this.askedLevels.set(at.event.approval_id, Math.max(at.event.level, this.askedLevels.get(at.event.approval_id) ?? 0));
        return;
      case 'approval_voted':
        this.names.add(`vote ${at.event.vote_id}`);
        return;
      case 'approval_vote_counted':
        this.names.add(`counted ${at.event.vote_id}`);
        return;
      case 'approval_escalated':
        this.levels.add(`${at.event.approval_id} ${at.event.rule} ${at.event.level}`);
        return;
      case 'approval_granted':
        this.allowed.add(at.event.revision);
        return;
      default:
    }
  }

  private ruling({ event }: At<'policy_decided'>): void {
    const { revision, effect, approval_id, joined_call_id } = event;
    this.ruled.add(revision);
    if (effect === 'allow') this.allowed.add(revision);
    if (joined_call_id === null) return;
    this.has_joined = true;
    if (approval_id !== null) this.names.add(`joined ${approval_id}`);
  }
}

/** The revision that a record names; 0 if it names none, or is about a call that could not be read. */
export function revisionOf(at: AnyEvent): number {
  return 'revision' in at.event && typeof at.event.revision === 'number' ? at.event.revision : 0;
}
