import { InProcessRuntime, type Runtime, type RuntimePack } from '@countersign/runtimes';
import type { Pack } from '@countersign/tool-kit';

/** A pack and the runtime that has loaded it. */
export interface HostedPack {
  readonly runtime: Runtime;
  readonly pack: RuntimePack;
}

/** The named packs, each in a runtime of its own. @throws where there is no such pack */
export async function hostPacks(registry: readonly Pack[], names: readonly string[]): Promise<HostedPack[]> {
  const runtimes = names.map((name) => new InProcessRuntime(packNamed(registry, name)));
  return Promise.all(runtimes.map(async (runtime) => ({ runtime, pack: await runtime.load() })));
}

function packNamed(registry: readonly Pack[], name: string): Pack {
  const pack = registry.find((candidate) => candidate.name === name);
  if (!pack) throw new Error(`COUNTERSIGN_PACKS: there is no pack ${name}; there are ${registry.map((each) => each.name).join(', ')}`);
  return pack;
}
