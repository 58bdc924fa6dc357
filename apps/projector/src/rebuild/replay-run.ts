import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { EventCodec } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';
import { BatchDecoder, type EventLog, PartitionReplay, type SchemaSource, type Stretch } from '@countersign/event-log';
import {
  heldReplay,
  indexBuild,
  LOCK_NOT_AVAILABLE,
  type ProjectionOffset,
  projectionPosition,
  type Replay,
  type Sql,
  type Store,
  switchBuilds,
  tablesOf,
  unrequestedHlc,
  viewSets,
} from '@countersign/store';
import { CallStates } from '../folding/call-states.js';
import { laneOf } from '../folding/lanes.js';
import { OptimisticWrites } from '../folding/optimistic-writes.js';
import type { RefusedChanges } from '../folding/refused-changes.js';
import { unfoldable } from '../folding/storable-event.js';
import type { WritePlan } from '../folding/write-plan.js';
import type { Projection } from '../projections/projection.js';
import { OPEN_CALLS_MAX, Refold } from './refold.js';

/** Events folded before yielding to the event loop. */
const EVENTS_AT_ONCE = 500;
/** A larger write would delay waiting callers (embedded). */
const CALLS_A_WRITE = 400;
/** Maximum of missing events for a switch: they are folded while no other write runs. */
const LEVEL_MAX = 1_000;
/** A view cannot be switched while it is being read. The switch is retried; if reads never pause, readers wait briefly in the end. */
const LOCK_TRIES = 200;
const LOCK_PAUSE_MS = 25;
const PATIENT_TRIES = 20;
const LOCK_WAIT_MS = 50;

export interface ReplayParts {
  log: EventLog;
  codec: EventCodec;
  schemas?: SchemaSource | undefined;
  store: Store;
  projections: readonly Projection[];
  refusals: Pick<RefusedChanges, 'marked'>;
}

interface Place {
  partition: number;
  done: ProjectionOffset[];
  stretches: Stretch[];
}

/** The worker stops, or another one owns the replay. */
export class ReplayStopped extends Error {}

/** Runs one replay: folds its builds from the log up to the live position, and makes them live. */
export class ReplayRun {
  private readonly decoder: BatchDecoder;
  private readonly plan: WritePlan;
  private readonly projections: readonly Projection[];
  private done = new Map<string, ProjectionOffset>();
  private indexed = false;
  private readonly writes: OptimisticWrites;

  constructor(
    private readonly parts: ReplayParts,
    private readonly replay: Replay,
    private readonly worker_id: string,
    private readonly stopping: AbortSignal,
  ) {
    this.decoder = new BatchDecoder(parts.codec, parts.schemas);
    this.writes = new OptimisticWrites(parts.store);
    const tables = tablesOf([...replay.builds, replay.states], viewSets);
    const names = new Set([...replay.builds, replay.states].map(({ projection }) => projection));
    this.plan = { number: 0, group: replay.replay, tables, states: tables, projections: names, held: heldReplay(replay.replay, worker_id) };
    this.projections = parts.projections.filter(({ set }) => names.has(set.name));
  }

  /** Resolves when readers see the builds. @throws ReplayStopped; after any other error another run continues from this position. */
  async run(): Promise<void> {
    const { store } = this.parts;
    const stored = await projectionPosition(store, this.replay.replay);
    this.done = new Map(stored.map((offset) => [placeOf(offset), offset]));
    for (;;) {
      for (const place of this.missing(await projectionPosition(store))) await this.catchUp(place);
      await this.index();
      if (await this.switched()) return;
    }
  }

  /** Building an index once is cheaper than updating it with every row. */
  private async index(): Promise<void> {
    if (this.indexed) return;
    for (const build of this.replay.builds) await indexBuild(this.parts.store, build);
    this.indexed = true;
  }

  /** Live offsets that are not folded here, by partition. */
  private missing(live: readonly ProjectionOffset[]): Place[] {
    const places = new Map<string, Place>();
    for (const { topic, partition, next_offset } of live) {
      const key = `${laneOf(topic)}/${partition}`;
      const place = places.get(key) ?? { partition, done: [], stretches: [] };
      places.set(key, place);
      const done = this.done.get(placeOf({ topic, partition }));
      if (done) place.done.push(done);
      if ((done?.next_offset ?? 0) < next_offset) place.stretches.push({ topic, from: done?.next_offset ?? 0, to: next_offset });
    }
    return [...places.values()].filter(({ stretches }) => stretches.length > 0);
  }

  private async refoldOf(sql: Sql, { partition, done }: Place): Promise<Refold> {
    const unrequested = done.length === 0 ? 0 : await unrequestedHlc(this.plan.states.of(sql), partition);
    return new Refold(this.plan, this.projections, new CallStates(unrequested, OPEN_CALLS_MAX), done);
  }

  /** The replay of one partition. Records that cannot be folded are skipped, as in the live fold. */
  private replayOf({ partition, stretches }: Place): PartitionReplay {
    const accepts = (event: unknown) => unfoldable(event as PlacedEvent) === undefined;
    return new PartitionReplay({ log: this.parts.log, decoder: this.decoder }, partition, stretches, accepts);
  }

  /** One write runs while the next part is folded. */
  private async catchUp(place: Place): Promise<void> {
    const { store } = this.parts;
    const refold = await this.refoldOf(store, place);
    let writing = Promise.resolve();
    const write = async () => {
      await writing;
      const refolded = refold.take();
      writing = this.writes.write(refolded.statements).then(() => refold.written(refolded));
      writing.catch(() => undefined);
    };
    for await (const events of this.replayOf(place).batches(EVENTS_AT_ONCE)) {
      if (this.stopping.aborted) throw new ReplayStopped('the process stops');
      await refold.fold(store, await this.parts.refusals.marked(events as PlacedEvent[]));
      if (refold.calls >= CALLS_A_WRITE || events.length < EVENTS_AT_ONCE || refold.calls === 0) await write();
      await turn();
    }
    for (const { topic, to } of place.stretches) refold.passed(topic, place.partition, to);
    if (!refold.isEmpty) await write();
    await writing;
    for (const offset of refold.positions()) this.done.set(placeOf(offset), offset);
  }

  /** Replaces the live tables with the builds, unless too many events arrived meanwhile. */
  private async switched(): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        const wait_ms = tries > PATIENT_TRIES ? LOCK_WAIT_MS : 0;
        return await switchBuilds(this.parts.store, this.replay, this.worker_id, (sql, live) => this.level(sql, live), wait_ms);
      } catch (cause) {
        if ((cause as { sqlstate?: string }).sqlstate !== LOCK_NOT_AVAILABLE || tries === LOCK_TRIES) throw cause;
        if (this.stopping.aborted) throw new ReplayStopped('the process stops');
        await sleep(LOCK_PAUSE_MS);
      }
    }
  }

  private async level(sql: Sql, live: readonly ProjectionOffset[]): Promise<boolean> {
    const places = this.missing(live);
    const missing = places.flatMap(({ stretches }) => stretches).reduce((sum, { from, to }) => sum + to - from, 0);
    if (missing > LEVEL_MAX) return false;
    for (const place of places) {
      const refold = await this.refoldOf(sql, place);
      const events = (await this.replayOf(place).next(missing)) as PlacedEvent[];
      if (events.length === 0) continue;
      await refold.fold(sql, await this.parts.refusals.marked(events));
      for (const statement of refold.take().statements) await sql.query(statement);
    }
    return true;
  }
}

const placeOf = ({ topic, partition }: { topic: string; partition: number }) => `${topic}/${partition}`;
