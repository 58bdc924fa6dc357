import { basename } from 'node:path';
import {
  ChildRuntime,
  type ChildRuntimeOptions,
  InProcessRuntime,
  messageOf,
  packEntry,
  type Runtime,
  type RuntimePack,
} from '@countersign/runtimes';
import type { UnhealthyPack } from '@countersign/store';
import { faultsOfForeign, type Pack } from '@countersign/tool-kit';
import { placeOf } from './pack-places.js';

/** A pack and the runtime that has loaded it. */
export interface HostedPack {
  readonly runtime: Runtime;
  readonly pack: RuntimePack;
  /** Where an external pack is; absent: it is built in. */
  readonly place?: string;
  /** Why it cannot be used; it then has no tools. */
  readonly fault?: string;
}

const LOADS_MAX = 3;
/** A load that took longer is not tried again: it would delay the start of the executor. */
const LOAD_AGAIN_MS = 3_000;
const REASON_MAX = 200;
/** Absolute paths, as text of errors names them. */
const PATHS = /(?:file:\/\/)?(?:\/[^\s/'"`:,;()]+)+\/(?=[^\s/'"`:,;()]+)/g;

/** A reason that is shown to callers: one line, without the folders of this machine. */
const shownReason = (fault: string): string => fault.replaceAll(PATHS, '…/').replaceAll(/\s+/g, ' ').slice(0, REASON_MAX);

/** The packs that cannot be used now, and why. A pack that never loaded is named by its file name, because its path is not public. */
export function unhealthyOf(hosted: readonly HostedPack[]): UnhealthyPack[] {
  return hosted.flatMap(({ runtime, pack, fault = runtime.unhealthy }) =>
    fault === undefined ? [] : [{ pack: basename(pack.name), reason: shownReason(fault) }],
  );
}

/**
 * The named packs, each in its own runtime: built-in ones in this process, external ones in child processes. An external pack that cannot
 * be loaded has no tools and reports why. @throws if a pack does not exist.
 */
export async function hostPacks(
  registry: readonly Pack[],
  names: readonly string[],
  children: Partial<ChildRuntimeOptions> = {},
): Promise<HostedPack[]> {
  return Promise.all(
    names.map(async (name) => {
      const known = registry.find((pack) => pack.name === name);
      if (!known) return hostOutside(name, existingPlace(registry, name), children);
      const runtime = new InProcessRuntime(known);
      return { runtime, pack: await runtime.load() };
    }),
  );
}

/** Loads an external pack. Never rejects: a pack that cannot be loaded is returned with its fault. */
export async function hostOutside(name: string, place: string, children: Partial<ChildRuntimeOptions>): Promise<HostedPack> {
  let fault = '';
  let runtime: Runtime = new InProcessRuntime({ name, tools: [] });
  const since_ms = performance.now();
  for (let load = 1; load <= LOADS_MAX && performance.now() - since_ms < LOAD_AGAIN_MS; load++) {
    try {
      const child = new ChildRuntime(packEntry(place).href, children);
      runtime = child;
      const pack = await child.load();
      const faults = faultsOfPack(pack);
      return faults.length === 0 ? { runtime, pack, place } : refusedPack({ runtime, pack: { name, tools: [] }, place }, faults.join('; '));
    } catch (cause) {
      fault = messageOf(cause);
    }
  }
  return refusedPack({ runtime, pack: { name, tools: [] }, place }, fault);
}

/** The pack without its tools, and why. */
export function refusedPack({ runtime, pack, place }: HostedPack, fault: string): HostedPack {
  return { runtime, pack: { name: pack.name, tools: [] }, ...(place === undefined ? {} : { place }), fault };
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

function existingPlace(registry: readonly Pack[], name: string): string {
  const place = placeOf(name);
  if (place !== undefined) return place;
  throw new Error(`COUNTERSIGN_PACKS: unknown pack ${name}; known packs: ${registry.map((each) => each.name).join(', ')}`);
}
