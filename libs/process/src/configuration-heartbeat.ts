import { setTimeout as sleep } from 'node:timers/promises';
import { uuidv7 } from '@countersign/contracts';
import { forgetInstance, reportInstance, type Store, type UnhealthyPack } from '@countersign/store';
import type { Logger } from './logger.js';
import { CONFIGURATION_TOPIC } from './topics.js';

/** How far a service has folded the configuration. */
export interface FoldedConfiguration {
  /** `policy_offset`: absent if the service makes no policy decisions. */
  readonly state: { readonly config_offset: number; readonly policy_offset?: number };
  position(topic: string): number;
  folded(topic: string, offset: number): Promise<void>;
}

const BEAT_MS = 1000;
const LEAVE_WITHIN_MS = 1000;

/**
 * Reports how far this service has folded the configuration: at once after a policy change, and with each heartbeat. The response to a
 * policy change lists the instances that have folded it. A failed heartbeat is skipped.
 */
export class ConfigurationHeartbeat {
  private reported: number | undefined;
  private closed = false;
  private timer: NodeJS.Timeout | undefined;
  private telling: Promise<void> | undefined;
  private again = false;
  readonly instance_id: string;

  constructor(
    private readonly service: string,
    private readonly configuration: FoldedConfiguration,
    private readonly parts: { store: Store; logger: Logger; clock: { now_ms(): number } },
    /** Reported with each heartbeat. */
    private readonly unhealthy: () => readonly UnhealthyPack[] = () => [],
  ) {
    this.instance_id = `${service}-${uuidv7(parts.clock.now_ms())}`;
  }

  /** Call it once the configuration is folded. */
  start(): void {
    this.timer = setInterval(() => this.beat(), BEAT_MS);
    this.timer.unref();
    this.beat();
    void this.watch();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await Promise.race([this.leave(), sleep(LEAVE_WITHIN_MS, undefined, { ref: false })]);
  }

  private async watch(): Promise<void> {
    while (!this.closed) {
      await this.configuration.folded(CONFIGURATION_TOPIC, this.configuration.position(CONFIGURATION_TOPIC));
      if (this.configuration.state.policy_offset !== this.reported) this.beat();
    }
  }

  /** Its row expires in a few seconds, so an unavailable store does not delay the stop. */
  private async leave(): Promise<void> {
    await this.telling;
    await forgetInstance(this.parts.store, this.instance_id).catch(() => undefined);
  }

  /** One report at a time: while the store is slow, only the newest is sent. */
  private beat(): void {
    if (this.telling) {
      this.again = true;
      return;
    }
    this.again = false;
    this.telling = this.report().finally(() => {
      this.telling = undefined;
      if (this.again) this.beat();
    });
  }

  private async report(): Promise<void> {
    if (this.closed) return;
    const { config_offset, policy_offset } = this.configuration.state;
    this.reported = policy_offset;
    try {
      const { instance_id, service } = this;
      await reportInstance(this.parts.store, { instance_id, service, config_offset }, this.unhealthy());
    } catch (cause) {
      this.parts.logger.debug(
        { event: 'configuration_not_reported', cause: String(cause) },
        'the configuration version of this process could not be reported',
      );
    }
  }
}
