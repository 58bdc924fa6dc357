import type { Tool, ToolVersion } from './tool-version.js';

/** What the list shows of a tool. */
export interface ToolSummary {
  name: string;
  title: string;
  description: string;
  version: string;
  versions: number;
  category: string;
  effect_class: string;
  lifecycle: string;
  trust: number | null;
  auth: readonly string[];
  circuit: string;
  use_instead: string | null;
  sunset_at: string | null;
  /** How its contract differs from the accepted one; undefined: it does not. */
  drift: string | undefined;
}

/** The version that calls without a version use: the newest active one, else the newest. */
export const shownVersion = ({ version, versions }: Tool): ToolVersion | undefined =>
  versions.find((one) => one.version === version) ?? versions[0];

const SHORT = 400;

export function summaryOf(tool: Partial<Tool>): ToolSummary {
  const { name = '', title = '', description = '', version = '', versions = [], effect_class = 'pure', lifecycle = 'active' } = tool;
  const shown = versions.find((one) => one.version === version) ?? versions[0];
  return {
    ...{ name, version, effect_class, lifecycle },
    title: title.slice(0, SHORT),
    description: description.slice(0, SHORT),
    versions: versions.length,
    category: shown?.category ?? '',
    trust: tool.trust_score ?? null,
    auth: shown?.auth_requirements ?? [],
    circuit: shown?.circuit ?? 'closed',
    use_instead: shown?.release.use_instead ?? null,
    sunset_at: shown?.release.sunset_at ?? null,
    drift: shown && shown.release.drift !== 'ok' ? shown.release.drift : undefined,
  };
}
