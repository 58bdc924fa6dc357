import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ChildRuntime, type ChildRuntimeOptions, InProcessRuntime, type Runtime, type RuntimePack } from '@countersign/runtimes';
import type { UnhealthyPack } from '@countersign/store';
import { faultsOfForeign, type Pack } from '@countersign/tool-kit';

/** A pack and the runtime that has loaded it. */
export interface HostedPack {
  readonly runtime: Runtime;
  readonly pack: RuntimePack;
  /** Why it could not be loaded; it then has no tools. */
  readonly fault?: string;
}

const LOADS_MAX = 3;
const REASON_MAX = 200;

/** The packs that cannot be used now, and why. A pack that never loaded is named by its file name, because its path is not public. */
export function unhealthyOf(hosted: readonly HostedPack[]): UnhealthyPack[] {
  return hosted.flatMap(({ runtime, pack, fault = runtime.unhealthy }) =>
    fault === undefined ? [] : [{ pack: basename(pack.name), reason: fault.replaceAll(/\s+/g, ' ').slice(0, REASON_MAX) }],
  );
}

/** True if the name is the path of an external module, not a built-in pack. */
export const isModulePath = (name: string): boolean => /^\.{0,2}\//.test(name);

/**
 * The named packs, each in its own runtime: built-in ones in this process, external ones in child processes. An external pack that cannot
 * be loaded has no tools and reports why. @throws if a built-in pack does not exist.
 */
export async function hostPacks(
  registry: readonly Pack[],
  names: readonly string[],
  children: Partial<ChildRuntimeOptions> = {},
): Promise<HostedPack[]> {
  return Promise.all(
    names.map(async (name) => {
      if (isModulePath(name)) return hostOutside(name, new ChildRuntime(pathToFileURL(resolve(name)).href, children));
      const runtime = new InProcessRuntime(packNamed(registry, name));
      return { runtime, pack: await runtime.load() };
    }),
  );
}

async function hostOutside(name: string, runtime: ChildRuntime): Promise<HostedPack> {
  let fault = '';
  for (let load = 1; load <= LOADS_MAX; load++) {
    try {
      const pack = await runtime.load();
      const faults = faultsOfPack(pack);
      return faults.length === 0 ? { runtime, pack } : { runtime, pack: { name, tools: [] }, fault: faults.join('; ') };
    } catch (cause) {
      fault = (cause as Error).message;
    }
  }
  return { runtime, pack: { name, tools: [] }, fault };
}

/** Checks of an external pack. It may not read platform settings, because they include keys. */
function faultsOfPack({ settings = {}, folders = [], tools }: RuntimePack): string[] {
  const sharings = folders.flatMap(({ sharing }) => sharing ?? []);
  const variables = [...Object.keys(settings), ...folders.map(({ variable }) => variable), ...sharings];
  const taken = variables.filter((variable) => variable.startsWith('COUNTERSIGN_'));
  return [
    ...taken.map((variable) => `its setting ${variable} uses the reserved prefix COUNTERSIGN_`),
    ...tools.flatMap(({ contract }) => faultsOfForeign(contract).map((fault) => `tool ${contract.name}: ${fault}`)),
  ];
}

function packNamed(registry: readonly Pack[], name: string): Pack {
  const pack = registry.find((candidate) => candidate.name === name);
  if (!pack) throw new Error(`COUNTERSIGN_PACKS: unknown pack ${name}; known packs: ${registry.map((each) => each.name).join(', ')}`);
  return pack;
}
