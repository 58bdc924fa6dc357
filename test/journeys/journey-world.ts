import { Counterparty } from '../tools/counterparty/counterparty.js';
import type { Api } from './api.js';

/** A running platform for code that only calls it. */
export interface TestedPlatform {
  readonly base: string;
  admin(): Api;
}

/** A running platform, whatever it runs on. */
export interface JourneyPlatform extends TestedPlatform {
  readonly workspace: string;
  readonly records: string;
  close(): Promise<void>;
}

let serial = 0;

/** Inputs of an order that was never sent before in this process. */
export function order(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { account: `acct-${++serial}`, amount: 7, note: 'a duplicate charge', ...more };
}

/** The environment of a journey: a platform, a counterparty that counts effects, and three callers. */
export class JourneyWorld {
  platform!: JourneyPlatform;
  counterparty!: Counterparty;
  admin!: Api;
  agent!: Api;
  anna!: Api;

  async open(start: (env: Record<string, string>) => Promise<JourneyPlatform>): Promise<void> {
    this.counterparty = await Counterparty.start();
    this.platform = await start({
      COUNTERSIGN_PROBE_URL: this.counterparty.url,
      COUNTERSIGN_CALLBACK_ALLOW_PRIVATE: 'true',
      COUNTERSIGN_HTTP_ALLOW: new URL(this.counterparty.url).host,
    });
    this.admin = this.platform.admin();
    this.agent = await this.admin.keyFor('agent', 'agent-1', ['agent']);
    this.anna = await this.admin.keyFor('user', 'anna', ['approver']);
  }

  async close(): Promise<void> {
    await this.platform?.close();
    await this.counterparty?.stop();
  }
}
