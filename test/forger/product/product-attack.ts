import path from 'node:path';
import type { EmbeddedPlatform } from '../../journeys/embedded-platform.js';
import type { Random } from '../random.js';
import type { HonestHistory } from './honest-history.js';

/** Who can find a forgery. */
export const FINDERS = ['server', 'scrub', 'witness', 'client'] as const;
export type Finder = (typeof FINDERS)[number];

/** A copied installation, stopped, that an attack changes. */
export interface Target {
  installation: EmbeddedPlatform;
  history: HonestHistory;
  random: Random;
}

/** One class of forgery of the data folder, and who must find it. */
export interface ProductAttack {
  /** Its row in the table of docs/how-to/auditors.md. */
  name: string;
  /** Whether the forger holds the key with which checkpoints are signed. */
  with_key: boolean;
  /** Who must find every such forgery. Empty: nothing is forged, since what was changed is restored from the log. */
  found_by: readonly Finder[];
  /** Changes the data. Returns what was changed, for the message of a failure. */
  forge(target: Target): Promise<string>;
  /** The forger changes the disk below the running server, which is then restarted. */
  isRunning?: boolean;
}

export const logDir = ({ installation }: Target): string => path.join(installation.dataDir, 'log');
export const auditDir = ({ installation }: Target, ...names: string[]): string => path.join(installation.dataDir, 'audit', ...names);
