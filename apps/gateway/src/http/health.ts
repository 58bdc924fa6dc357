import type { Registry } from 'prom-client';

/** Whether this process has caught up, and its numbers. */
export class Health {
  constructor(
    readonly ready: () => boolean,
    readonly metrics: Registry,
  ) {}
}
