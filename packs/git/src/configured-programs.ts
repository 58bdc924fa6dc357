import { refused } from './refusal.js';

/** More drivers than this are refused: each one is an argument of every command. */
const OVERRIDES_MAX = 500;

/** The environment to which `overrideArgs` refers. */
export const OVERRIDE_ENVIRONMENT = { OVERRIDE_EMPTY: '', OVERRIDE_FALSE: 'false' } as const;
type Value = keyof typeof OVERRIDE_ENVIRONMENT;

/**
 * Sections whose settings name programs under names of the owner's choice. A driver runs if a file has the attribute, and agents write
 * `.gitattributes`. Git uses the last value of each. The command `false` fails: a merge driver that does nothing would count as a clean
 * merge.
 */
const DRIVERS: Readonly<Record<string, readonly [variable: string, value: Value][]>> = {
  filter: [
    ['clean', 'OVERRIDE_EMPTY'],
    ['smudge', 'OVERRIDE_EMPTY'],
    ['process', 'OVERRIDE_EMPTY'],
    ['required', 'OVERRIDE_FALSE'],
  ],
  diff: [
    ['command', 'OVERRIDE_FALSE'],
    ['textconv', 'OVERRIDE_FALSE'],
  ],
  merge: [['driver', 'OVERRIDE_FALSE']],
  hook: [
    ['command', 'OVERRIDE_FALSE'],
    ['enabled', 'OVERRIDE_FALSE'],
  ],
  credential: [['helper', 'OVERRIDE_EMPTY']],
};

/** The programs that the configuration of one repository would run. */
export interface ConfiguredPrograms {
  /** Arguments of git, before its command, that disable all of them. */
  args: readonly string[];
  /** Names of the filter drivers. */
  filters: ReadonlySet<string>;
}

/**
 * Parses the names of all settings, as `git config --list --name-only -z` prints them: section and variable in lower case.
 * @throws ToolError for a configuration that includes other files. An agent may be able to write those, and could do so between this
 * check and the command.
 */
export function configuredPrograms(names: readonly string[]): ConfiguredPrograms {
  if (names.some((name) => /^include(if\..*)?\.path$/s.test(name)))
    throw refused(
      '/repo',
      'include',
      'the configuration of the repository includes other files: an operator must move the settings into .git/config',
    );
  const drivers = new Map(names.flatMap(driverOf));
  const args = [...drivers.values()].flatMap(({ section, name }) =>
    (DRIVERS[section] ?? []).map(([variable, value]) => `--config-env=${section}.${name}.${variable}=${value}`),
  );
  if (args.length > OVERRIDES_MAX)
    throw refused('/repo', 'too_many_drivers', 'the configuration of the repository defines too many filters and drivers');
  const filters = [...drivers.values()].filter(({ section }) => section === 'filter').map(({ name }) => name);
  return { args, filters: new Set(filters) };
}

/** Splits `filter.<name>.clean` into its section and name, which may contain dots. */
function driverOf(setting: string): [string, { section: string; name: string }][] {
  const section = setting.slice(0, setting.indexOf('.'));
  const name = setting.slice(section.length + 1, Math.max(section.length + 1, setting.lastIndexOf('.')));
  return Object.hasOwn(DRIVERS, section) && name !== '' ? [[`${section}.${name}`, { section, name }]] : [];
}
