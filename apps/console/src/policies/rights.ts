import { refusalOf } from '../forms/refusal.js';
import { useSession } from '../gateway/context.js';

/** Why this person may not check and simulate drafts; undefined: they may. */
export const useDraftRefusal = (): string | undefined => refusalOf(useSession(), ['policy_admin', 'auditor']);

/** Why this person may not publish, activate and set limits; undefined: they may. */
export const useChangeRefusal = (): string | undefined => refusalOf(useSession(), ['policy_admin']);
