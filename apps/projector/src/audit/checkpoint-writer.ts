import { setTimeout as sleep } from 'node:timers/promises';
import type { EventLog } from '@countersign/event-log';
import { SoleMember } from '../sole-member.js';
import type { CoveredLanes } from './covered-lanes.js';
import type { LogSigning } from './log-signing.js';
import type { SigningRun } from './signing-run.js';

const AGAIN_MS = 1000;

/**
 * Runs signing, one run after another, in one of all processes. If two believe they are the owner, each checkpoint number is still written
 * by only one.
 */
export class CheckpointWriter {
  private readonly member: SoleMember;
  private run: SigningRun | undefined;
  private working: Promise<void> = Promise.resolve();
  /** Ends the pause between two runs. */
  private pause = new AbortController();
  private isClosed = false;
  /** True if a new lane is to be covered, which the next run does. */
  private isStale = false;

  constructor(
    log: EventLog,
    /** All covered topics, as far as known. */
    private readonly lanes: Pick<CoveredLanes, 'topics' | 'learn'>,
    private readonly signing: LogSigning,
  ) {
    this.member = new SoleMember(log, 'projector.audit', {
      gained: () => {
        this.pause = new AbortController();
        this.working = this.working.then(() => this.signWhileOwner());
      },
      lost: () => this.stop(),
      heard: async (records) => {
        if (!(await lanes.learn(records))) return;
        this.isStale = true;
        await this.run?.close();
      },
    });
  }

  /** True if this process signs, or would sign without damage. */
  get isOwner(): boolean {
    return this.member.isOwner;
  }

  start(): Promise<void> {
    return this.member.start();
  }

  private get isActive(): boolean {
    return this.member.isOwner && !this.isClosed;
  }

  private async signWhileOwner(): Promise<void> {
    while (this.isActive) {
      this.isStale = false;
      this.run = await this.signing.open(() => this.lanes.topics());
      if (this.isStale || !this.isActive) await this.run?.close();
      const end = (await this.run?.ended) ?? { kind: 'held' };
      await this.run?.close();
      this.run = undefined;
      if (end.kind === 'failed') this.signing.report(end.cause);
      if (end.kind !== 'closed') await sleep(AGAIN_MS, undefined, { signal: this.pause.signal, ref: false }).catch(() => undefined);
    }
  }

  private async stop(): Promise<void> {
    this.pause.abort();
    await this.run?.close();
    await this.working;
  }

  /** Signs pending records and ends. */
  async close(): Promise<void> {
    await this.run?.signRest();
    this.isClosed = true;
    await this.member.close();
    await this.stop();
  }
}
