import type { Clock } from '@countersign/process';
import { runningInstances, type Store } from '@countersign/store';
import { type PatientRequest, waitForOthers } from '../requests/preferences.js';

const PAUSE_MS = 15;

/** A running instance, and whether it applies a change. */
export interface InstanceState {
  instance_id: string;
  service: string;
  has_it: boolean;
}

/** Position of a change, and the instances that have it; null if unknown. */
export interface Everywhere {
  config_offset: number;
  instances: InstanceState[] | null;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The running instances of all services, and the configuration offset of each. */
export class RunningInstances {
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {}

  /** Waits until all of them have the configuration up to `config_offset`: up to a second, or as long as the request says. */
  async reached(config_offset: number, request: PatientRequest): Promise<Everywhere> {
    const until = this.clock.monotonic_ms() + waitForOthers(request.headers.prefer);
    try {
      for (;;) {
        const instances = await this.at(config_offset);
        if (instances.every(({ has_it }) => has_it) || this.clock.monotonic_ms() > until) return { config_offset, instances };
        await pause(PAUSE_MS);
      }
    } catch {
      return { config_offset, instances: null };
    }
  }

  private async at(offset: number): Promise<InstanceState[]> {
    const running = await runningInstances(this.store);
    return running.map(({ instance_id, service, config_offset }) => ({ instance_id, service, has_it: config_offset >= offset }));
  }
}
