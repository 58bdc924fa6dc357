import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** A folder for the files of tools. */
interface NamedFolder {
  variable: string;
  root: string;
}

/**
 * Folders inside each other, one line each. A tenant with the name of the inner folder would see all of its files, every tenant's records,
 * or the platform's keys. The data directory may be inside such a folder under a name that starts with `.countersign`, which no tool
 * touches.
 */
export function overlapFaults(folders: readonly NamedFolder[], data_dir: string): string[] {
  const faults: string[] = [];
  for (const outer of folders) {
    const below = (inner: string) => path.relative(realPlace(outer.root), realPlace(inner));
    const data = below(data_dir);
    if (isInside(data) && !data.startsWith('.countersign'))
      faults.push(
        `${outer.variable} ${outer.root}: contains COUNTERSIGN_DATA_DIR ${data_dir}, so tools could read the keys; set another folder`,
      );
    for (const inner of folders)
      if (
        inner.variable !== outer.variable &&
        isInside(below(inner.root)) &&
        !(below(inner.root) === '' && inner.variable < outer.variable)
      )
        faults.push(`${inner.variable} ${inner.root}: is inside ${outer.variable} ${outer.root}; set a folder outside it`);
  }
  return faults;
}

const isInside = (relative: string): boolean => relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);

/** The real path of an existing or future folder, with links resolved. */
function realPlace(dir: string): string {
  const wanted = path.resolve(dir);
  if (existsSync(wanted)) return realpathSync(wanted);
  const above = path.dirname(wanted);
  return above === wanted ? wanted : path.join(realPlace(above), path.basename(wanted));
}
