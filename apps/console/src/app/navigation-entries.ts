import { hasRole, type Session } from '../gateway/session.js';
import { GROUPS, type NavigationGroup, SCREENS, type ScreenEntry } from './screens.js';

export type NavigationEntry = ScreenEntry & Required<Pick<ScreenEntry, 'navigation'>>;

/** The screens that this person finds in the navigation. */
export function navigationEntries(session: Session): NavigationEntry[] {
  return SCREENS.filter((entry): entry is NavigationEntry => entry.navigation !== undefined && hasRole(session, entry.roles));
}

/** The same by group; groups without a screen are left out. */
export function navigationGroups(session: Session): { group: NavigationGroup; entries: NavigationEntry[] }[] {
  const entries = navigationEntries(session);
  const groups = GROUPS.map((group) => ({ group, entries: entries.filter(({ navigation }) => navigation.group === group) }));
  return groups.filter((one) => one.entries.length > 0);
}

/** Whether a path is the one of an entry or below it. */
export const isBelow = (path: string, entry: string): boolean => path === entry || (entry !== '/' && path.startsWith(`${entry}/`));
