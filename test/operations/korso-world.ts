import type { Api } from '../journeys/api.js';
import type { TestedPlatform } from '../journeys/journey-world.js';

/** Where Korso's journey happens: a platform, and the business system that its tenant works in. */
export interface KorsoWorld {
  /** A platform whose tools of the operations pack work in the system. */
  start(): Promise<TestedPlatform>;
  close(): Promise<void>;
  /** The delivery date of all orders of this run. */
  readonly delivery_date: string;
  /** An open quote in the system. @returns its id */
  quote(): Promise<string>;
  /** The states of this run's purchase orders by their id, read in the system itself. */
  states(): Promise<ReadonlyMap<string, string>>;
  /** A person confirms a drafted order in the system itself. */
  confirmByHand(po_id: string): Promise<void>;
  /** From now on, the cancel of a confirmed order is answered as done, and changes nothing. */
  letCancelsDoNothing(): void;
}

/** The people and the agent of the story. */
export interface Cast {
  admin: Api;
  agent: Api;
  anna: Api;
  ben: Api;
  olga: Api;
  audra: Api;
}

export async function castOf(platform: TestedPlatform): Promise<Cast> {
  const admin = platform.admin();
  return {
    admin,
    agent: await admin.keyFor('agent', 'operations-agent', ['agent']),
    anna: await admin.keyFor('user', 'anna', ['approver']),
    ben: await admin.keyFor('user', 'ben', ['approver']),
    olga: await admin.keyFor('user', 'olga', ['operator']),
    audra: await admin.keyFor('user', 'audra', ['auditor']),
  };
}
