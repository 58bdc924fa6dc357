import { DAY_MS, HOUR_MS, SESSION_LIFE_MAX_MS } from '@countersign/domain';
import { wholeNumber } from '@countersign/process';
import { z } from 'zod';

/** Times and bounds of browser sessions. */
export interface SessionSettings {
  /** A session without requests ends after this time. */
  idle_ms: number;
  /** A session ends at this age. */
  life_ms: number;
  /** Attempts to sign in that one gateway accepts per client address and minute. */
  attempts_per_address_max: number;
  /** The same for all addresses together. */
  attempts_max: number;
}

const MINUTE_MS = 60_000;

/** The variables of browser sessions. */
export const sessionSettings = {
  COUNTERSIGN_SESSION_IDLE_MS: wholeNumber(MINUTE_MS, SESSION_LIFE_MAX_MS)
    .default(12 * HOUR_MS)
    .describe('a browser session without requests ends after this time'),
  COUNTERSIGN_SESSION_LIFE_MS: wholeNumber(MINUTE_MS, SESSION_LIFE_MAX_MS)
    .default(7 * DAY_MS)
    .describe('a browser session ends at this age'),
  COUNTERSIGN_SIGN_INS_PER_ADDRESS_MAX: wholeNumber(1, 100_000)
    .default(60)
    .describe('attempts to sign in that one gateway accepts per client address and minute; beyond it: 429'),
  COUNTERSIGN_SIGN_INS_MAX: wholeNumber(1, 1_000_000)
    .default(600)
    .describe('attempts to sign in that one gateway accepts per minute from all addresses; beyond it: 429'),
};

const schema = z.object(sessionSettings);

export function sessionSettingsOf(settings: z.output<typeof schema>): SessionSettings {
  return {
    idle_ms: settings.COUNTERSIGN_SESSION_IDLE_MS,
    life_ms: settings.COUNTERSIGN_SESSION_LIFE_MS,
    attempts_per_address_max: settings.COUNTERSIGN_SIGN_INS_PER_ADDRESS_MAX,
    attempts_max: settings.COUNTERSIGN_SIGN_INS_MAX,
  };
}

/** Settings without any variable. */
export const defaultSessionSettings: SessionSettings = sessionSettingsOf(schema.parse({}));
