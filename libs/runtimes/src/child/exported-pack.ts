import type { Pack } from '@countersign/tool-kit';
import { toolId } from '../runtime.js';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function toolFault(tool: unknown, at: number): string | undefined {
  const { contract, run } = Object(tool) as { contract?: unknown; run?: unknown };
  const { name, version } = Object(contract) as { name?: unknown; version?: unknown };
  if (typeof name === 'string' && typeof version === 'string' && typeof run === 'function') return undefined;
  return `tools[${at}] of its pack is not a tool: make it with defineTool`;
}

/**
 * The pack that a module exports, as `pack` or as its default.
 * @throws Error that names the fault: it exports none, a tool is no tool, or a version of a tool is defined twice
 */
export function exportedPack(module: unknown): Pack {
  const { pack = undefined, default: standard = undefined } = module as { pack?: unknown; default?: unknown };
  const exported = pack ?? standard;
  if (!isObject(exported)) throw new Error('the module exports no pack: write `export const pack = {name, tools}`');
  const { name, tools } = exported as { name?: unknown; tools?: unknown };
  if (typeof name !== 'string' || name === '') throw new Error('its pack has no name');
  if (!Array.isArray(tools)) throw new Error('its pack has no list of tools');
  const fault = tools.map(toolFault).find((one) => one !== undefined);
  if (fault !== undefined) throw new Error(fault);
  const ids = (exported as Pack).tools.map(({ contract }) => toolId(contract));
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) throw new Error(`its pack defines the tool ${twice} twice`);
  return exported as Pack;
}
