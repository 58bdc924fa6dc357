import { blankFaults, type Environment, folderFault } from '@countersign/process';
import type { Pack } from '@countersign/tool-kit';

/** A pack's settings, as the environment or else the pack gives them. A folder that is set to the empty text is not set. */
export function settingsOf(pack: Pack, environment: Environment): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [variable, fallback] of Object.entries(pack.settings ?? {})) {
    const set = environment[variable];
    const value = set === '' && pack.folders?.includes(variable) ? fallback : (set ?? fallback);
    if (value !== undefined) settings[variable] = value;
  }
  return settings;
}

/** The folders that these packs write in, by the variable that names each. */
export function foldersOf(packs: readonly Pack[], environment: Environment): ReadonlyMap<string, string> {
  const folders = new Map<string, string>();
  for (const pack of packs) {
    const settings = settingsOf(pack, environment);
    for (const variable of pack.folders ?? []) if (settings[variable]) folders.set(variable, settings[variable]);
  }
  return folders;
}

/** What is wrong with the settings of these packs, one line each, before anything is made. */
export function settingsFaults(packs: readonly Pack[], environment: Environment): string[] {
  const blank = blankFaults(environment, [...new Set(packs.flatMap(({ settings }) => Object.keys(settings ?? {})))]);
  const folders = [...foldersOf(packs, environment)].filter(([, dir]) => dir.trim() !== '');
  return [...blank, ...folders.flatMap(([variable, dir]) => folderFault(variable, dir) ?? [])];
}
