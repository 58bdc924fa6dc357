import type { Api } from '../journeys/api.js';

export type ServiceName = 'gateway' | 'policy' | 'executor' | 'orchestrator' | 'projector';

/** The target of a scenario: the platform embedded or distributed, with control over its processes. */
export interface ChaosTarget {
  readonly mode: 'embedded' | 'kafka';
  api(): Api;
  /** Processes that can be killed separately; embedded there is one with all services. */
  readonly services: readonly ServiceName[];
  kill(service: ServiceName): Promise<void>;
  /** Starts a killed service again, with extra environment, and waits until it is ready. */
  up(service: ServiceName, env?: Record<string, string>): Promise<void>;
  /** Resolves when the service has ended by itself. */
  ended(service: ServiceName, timeout_ms: number): Promise<boolean>;
  signal(service: ServiceName, name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves when its consumer has committed offsets that can be reset. */
  committed(service: ServiceName): Promise<void>;
  /** With the service stopped: its consumer starts again at 0. */
  resetOffsets(service: ServiceName): Promise<void>;
  /** Starts a second executor, which takes over when the first is lost. Embedded there is only one: its next epoch takes over. */
  standby(): Promise<void>;
  /** How often the processes have logged this text. */
  logged(text: string): number;
  /** Saves the output of the processes, and the embedded log, to analyse a fault. @returns the folder. */
  keep(): Promise<string>;
  close(): Promise<void>;
}
