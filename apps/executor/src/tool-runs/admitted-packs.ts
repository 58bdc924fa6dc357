import type { Environment } from '@countersign/process';
import { toolId } from '@countersign/runtimes';
import { settingsFaults } from '../pack-settings.js';
import { type HostedPack, refusedPack } from './hosted-packs.js';

/** Why an external pack cannot be used beside those before it; undefined: it can. */
function faultBeside(before: readonly HostedPack[], { pack }: HostedPack, environment: Environment): string | undefined {
  if (before.some((known) => known.pack.name === pack.name)) return `another pack has the name ${pack.name}`;
  const ids = new Set(pack.tools.map(({ contract }) => toolId(contract)));
  const names = new Set(pack.tools.map(({ contract }) => contract.name));
  for (const known of before) {
    // A new version of a tool may come from another pack of the operator, but not under the name of a built-in tool.
    const taken = known.pack.tools.find(({ contract }) =>
      known.place === undefined ? names.has(contract.name) : ids.has(toolId(contract)),
    );
    if (taken) return `the pack ${known.pack.name} already has the tool ${toolId(taken.contract)}`;
  }
  const packs = [...before, { pack }].map((each) => each.pack);
  return settingsFaults(packs, environment, environment.COUNTERSIGN_DATA_DIR || './.countersign')[0];
}

/** The packs in their order. An external one that contradicts those before it, or whose settings are wrong, loses its tools and says why. */
export function admittedPacks(hosted: readonly HostedPack[], environment: Environment): HostedPack[] {
  const built_in = hosted.filter(({ place }) => place === undefined);
  const admitted: HostedPack[] = [...built_in];
  return hosted.map((each) => {
    if (each.place === undefined || each.fault !== undefined) return each;
    const fault = faultBeside(admitted, each, environment);
    const kept = fault === undefined ? each : refusedPack(each, fault);
    admitted.push(kept);
    return kept;
  });
}
