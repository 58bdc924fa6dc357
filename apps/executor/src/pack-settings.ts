import { blankFaults, type Environment, folderFault } from '@countersign/process';
import type { Pack } from '@countersign/tool-kit';
import type { FolderSetting } from '@countersign/tool-kit/tenant-folders/tenant-folders';
import { overlapFaults } from './folder-overlaps.js';

/** The settings that a pack declares. */
export type PackSettings = Pick<Pack, 'settings' | 'folders'>;

const FLAGS: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

/** A pack's settings, from the environment or the pack's defaults. Excludes folders: a run gets only its tenant's folder. */
export function settingsOf(pack: PackSettings, environment: Environment): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const variable of Object.keys(pack.settings ?? {})) {
    if (pack.folders?.some((folder) => folder.variable === variable)) continue;
    const value = environment[variable] ?? pack.settings?.[variable];
    if (value !== undefined) settings[variable] = value;
  }
  return settings;
}

/** The folder settings of these packs, by variable. An empty value counts as unset. */
export function foldersOf(packs: readonly PackSettings[], environment: Environment): ReadonlyMap<string, FolderSetting> {
  const folders = new Map<string, FolderSetting>();
  for (const pack of packs)
    for (const { variable, sharing } of pack.folders ?? []) {
      const root = environment[variable] || pack.settings?.[variable];
      if (!root) continue;
      const shared = sharing === undefined ? {} : { sharing: { variable: sharing, on: FLAGS[environment[sharing] || 'false'] === true } };
      folders.set(variable, { variable, root, ...shared });
    }
  return folders;
}

/** Faults in the settings of these packs, one line each, before anything is created. `data_dir`: where the platform keeps its keys. */
export function settingsFaults(packs: readonly PackSettings[], environment: Environment, data_dir: string): string[] {
  const sharings = packs.flatMap(({ folders }) => (folders ?? []).flatMap(({ sharing }) => sharing ?? []));
  const variables = new Set([...packs.flatMap(({ settings }) => Object.keys(settings ?? {})), ...sharings]);
  const blank = blankFaults(environment, [...variables]);
  const set = [...foldersOf(packs, environment).values()].filter(({ root }) => root.trim() !== '');
  const unusable = set.flatMap(({ variable, root }) => folderFault(variable, root) ?? []);
  const overlaps = unusable.length > 0 ? [] : overlapFaults(set, data_dir);
  return [...blank, ...new Set(sharings.flatMap((variable) => flagFault(variable, environment) ?? [])), ...unusable, ...overlaps];
}

function flagFault(variable: string, environment: Environment): string | undefined {
  const text = environment[variable];
  if (!text || text.trim() === '' || text in FLAGS) return undefined;
  return `${variable}: ${JSON.stringify(text)} is not allowed; set true or false`;
}
