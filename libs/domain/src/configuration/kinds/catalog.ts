import { contractDigest, type EventMap, type ToolContract } from '@countersign/contracts';
import { compareSemver, parseSemver } from '../semver.js';
import type { ConfigurationState } from '../state.js';

function readContract(event: EventMap['tool_registered']): ToolContract | undefined {
  try {
    const contract = JSON.parse(event.contract_json) as ToolContract | null;
    return contract?.name === event.name && contract.version === event.version ? contract : undefined;
  } catch {
    return undefined;
  }
}

/** Executors of several lanes announce the same contract: lanes add up while the digest stays, another digest starts anew. */
export function register(state: ConfigurationState, event: EventMap['tool_registered']): void {
  const contract = readContract(event);
  const semver = parseSemver(event.version);
  if (!contract || !semver) {
    state.unreadable_registrations++;
    return;
  }
  const { name, version, executor_id, registered_at_ms } = event;
  const digest = contractDigest(contract);
  const versions = state.tools.get(name) ?? [];
  const before = versions.find((known) => known.version === version);
  const lanes = new Set(before?.digest === digest ? [...before.lanes, ...event.lanes] : event.lanes);
  const tool = { name, version, semver, contract, digest, lanes, executor_id, registered_at_ms };
  const others = versions.filter((known) => known !== before);
  state.tools.set(
    name,
    [...others, tool].sort((a, b) => compareSemver(b.semver, a.semver)),
  );
}
