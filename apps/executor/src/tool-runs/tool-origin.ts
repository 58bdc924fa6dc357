import { readFileSync } from 'node:fs';
import type { ToolRegistered } from '@countersign/contracts';
import type { RuntimePack } from '@countersign/runtimes';

/** The origin of a tool and its evaluation, for its registration. */
export type ToolOrigin = Pick<ToolRegistered, 'adapter' | 'adapter_version' | 'gated' | 'evaluation_json'> & {
  /** A tenant chose the server of the tool, which gets no secret of the installation. Not part of its registration. */
  is_tenants: boolean;
};

function kept(folder: URL, id: string): string | null {
  try {
    return readFileSync(new URL(`${encodeURIComponent(id).replace('%40', '@')}.json`, folder), 'utf8');
  } catch {
    return null;
  }
}

/** The origin of `name@version` in a pack. In a pack with evaluations, every version is gated by its own. */
export function originOf(pack: RuntimePack, id: string): ToolOrigin {
  const gated = pack.evaluations !== undefined;
  return {
    adapter: pack.name,
    adapter_version: pack.version ?? '',
    gated,
    evaluation_json: pack.evaluations ? kept(pack.evaluations, id) : null,
    is_tenants: false,
  };
}
