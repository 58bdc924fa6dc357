import type { ToolContract } from '@countersign/contracts';
import { z } from 'zod';
import { ASKS, type RuntimePack } from '../runtime.js';
import { BadFrame } from './frames.js';

const text = z.string().max(200);
const tool = z.object({ contract: z.record(z.string(), z.unknown()), asks: z.array(z.enum(ASKS)) });

/** The pack as a child reports it after loading. The host of the pack checks the contracts. */
const schema = z.object({
  name: text.min(1),
  version: text.nullable(),
  evaluations: z.url({ protocol: /^file$/ }).nullable(),
  settings: z.record(z.string(), z.string().nullable()),
  folders: z.array(z.object({ variable: text, sharing: text.optional() })),
  tools: z.array(tool).max(1000),
});

export type ReportedPack = z.input<typeof schema>;

/** Parses the pack that a child reports. @throws BadFrame */
export function packOf(announced: unknown): RuntimePack {
  const parsed = schema.safeParse(announced);
  if (!parsed.success) throw new BadFrame(`the description of its pack is not valid: ${parsed.error.issues[0]?.message}`);
  const { name, version, evaluations, settings, folders, tools } = parsed.data;
  return {
    name,
    ...(version === null ? {} : { version }),
    ...(evaluations === null ? {} : { evaluations: new URL(evaluations) }),
    settings: Object.fromEntries(Object.entries(settings).map(([variable, value]) => [variable, value ?? undefined])),
    folders: folders.map(({ variable, sharing }) => ({ variable, ...(sharing === undefined ? {} : { sharing }) })),
    tools: tools.map(({ contract, asks }) => ({ contract: contract as unknown as ToolContract, asks: new Set(asks) })),
  };
}
