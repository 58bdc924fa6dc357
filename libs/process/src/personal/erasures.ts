import type { EventCodec, EventType } from '@countersign/contracts';
import { type EventLog, FoldedTopics, type Recorded, type SchemaSource } from '@countersign/event-log';
import type { DamageReport, KeptText } from '@countersign/evidence';
import type { SubjectKeys } from '@countersign/store';
import { CONFIGURATION_TOPIC } from '../topics.js';

const KEYS_AT_ONCE = 500;
const FOLDED: ReadonlySet<EventType> = new Set<EventType>(['subject_erased']);

/** A recorded erasure. */
interface Erasure {
  tenant_id: string;
  subject: string;
  key_ids: readonly string[];
  /** Offset in `configuration-changed`. */
  offset: number;
}

interface ErasureState {
  erasures: Erasure[];
  /** `tenant key` of every erased key. */
  key_ids: Set<string>;
}

/** Erasures whose keys are known to be destroyed: all below an offset, and some later ones. */
interface Destroyed {
  below: number;
  offsets: number[];
}

const idOf = (tenant_id: string, key_id: string): string => `${tenant_id} ${key_id}`;

function fold(state: ErasureState, at: Recorded): ErasureState {
  if (at.event_type !== 'subject_erased') return state;
  const { meta, subject, key_ids } = at.event;
  state.erasures.push({ tenant_id: meta.tenant_id, subject, key_ids, offset: at.offset });
  for (const key_id of key_ids) state.key_ids.add(idOf(meta.tenant_id, key_id));
  return state;
}

function destroyedIn(text: string | undefined): Destroyed {
  const { below = 0, offsets = [] } = JSON.parse(text ?? '{}') as Partial<Destroyed>;
  return { below, offsets };
}

/** Dependencies for folding erasures. */
export interface ErasureDeps {
  log: EventLog;
  codec: EventCodec;
  /** The registry used by the codec; absent embedded. */
  schemas?: SchemaSource;
}

/**
 * The recorded erasures. Their keys are never used, wherever they come from. The list of destroyed keys is stored beside the keys: a
 * destroyed key that exists again came from an old copy.
 */
export class Erasures {
  private readonly folded: FoldedTopics<ErasureState>;

  constructor(
    { log, codec, schemas }: ErasureDeps,
    private readonly keys: SubjectKeys,
    private readonly kept: KeptText,
  ) {
    const topics = [CONFIGURATION_TOPIC];
    const initial = { erasures: [], key_ids: new Set<string>() };
    this.folded = new FoldedTopics({ log, codec, topics, only: FOLDED, initial, evolve: fold, ...(schemas ? { schemas } : {}) });
  }

  /** Destroys keys of recorded erasures before any key is used: leftovers of a crash, and reappeared keys, which are reported. */
  async start(damage: DamageReport): Promise<void> {
    await this.folded.start();
    const { erasures } = this.folded.state;
    const below = this.folded.position(CONFIGURATION_TOPIC);
    const known = destroyedIn(await this.kept.read());
    const destroyed = new Set(known.offsets);
    for (const erasure of await this.alive(erasures)) {
      const { tenant_id, key_ids, offset, subject } = erasure;
      const destroyed_keys = await this.keys.destroy(tenant_id, key_ids);
      // Another process that starts at the same time may have been faster.
      if (destroyed_keys === 0 || (offset >= known.below && !destroyed.has(offset))) continue;
      const reason = `keys of subject ${subject}, destroyed according to ${CONFIGURATION_TOPIC} offset ${offset}, reappeared, probably from an old copy of the keys: they were destroyed again`;
      damage.found({ kind: 'keys', found_by: 'start', tenant_id, reason });
    }
    await this.keep((before) => ({ below: Math.max(before.below, below), offsets: before.offsets.filter((offset) => offset >= below) }));
  }

  /** Records that the keys of the erasure at this offset are destroyed. */
  destroyed(offset: number): Promise<void> {
    return this.keep(({ below, offsets }) => ({ below, offsets: offset < below ? offsets : [...new Set([...offsets, offset])] }));
  }

  has(tenant_id: string, key_id: string): boolean {
    return this.folded.state.key_ids.has(idOf(tenant_id, key_id));
  }

  close(): Promise<void> {
    return this.folded.close();
  }

  /** Erasures with at least one existing key. */
  private async alive(erasures: readonly Erasure[]): Promise<Erasure[]> {
    const alive: Erasure[] = [];
    for (const tenant_id of new Set(erasures.map((erasure) => erasure.tenant_id))) {
      const own = erasures.filter((erasure) => erasure.tenant_id === tenant_id);
      const ids = own.flatMap(({ key_ids }) => key_ids);
      const found = new Set<string>();
      for (let at = 0; at < ids.length; at += KEYS_AT_ONCE)
        for (const key_id of await this.keys.living(tenant_id, ids.slice(at, at + KEYS_AT_ONCE))) found.add(key_id);
      alive.push(...own.filter(({ key_ids }) => key_ids.some((key_id) => found.has(key_id))));
    }
    return alive;
  }

  private async keep(change: (before: Destroyed) => Destroyed): Promise<void> {
    for (;;) {
      const text = await this.kept.read();
      const next = JSON.stringify(change(destroyedIn(text)));
      if (next === text || (await this.kept.replace(text, next))) return;
    }
  }
}
