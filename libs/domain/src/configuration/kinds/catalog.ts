import type { EventMap, ToolContract } from '@countersign/contracts';
import { type BreakingDifference, breakingDifferences, stepBetween } from '../../compatibility/contract-changes.js';
import { type AnnouncedContract, announcedContract } from '../../registry/announced-contract.js';
import { readEvaluation, refusalKey } from '../../registry/record.js';
import { compareSemver, parseSemver, type Semver } from '../../versions/semver.js';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';
import type { ToolVersion } from '../state/tools.js';

type Registered = EventMap['tool_registered'];

function readContract(event: Registered): AnnouncedContract | undefined {
  const read = announcedContract(event);
  return read?.contract.name === event.name && read.contract.version === event.version ? read : undefined;
}

/** The nearest releases before and after a new one: its version number makes promises about both. Prereleases make no promises. */
function neighbours(
  versions: readonly ToolVersion[],
  semver: Semver,
): { older?: ToolVersion | undefined; newer?: ToolVersion | undefined } {
  if (semver.prerelease !== '') return {};
  const releases = versions.filter((version) => version.semver.prerelease === '');
  return {
    older: releases.find((version) => compareSemver(version.semver, semver) < 0),
    newer: releases.findLast((version) => compareSemver(version.semver, semver) > 0),
  };
}

/** How a new version breaks the promise of its number. */
export interface BrokenPromise {
  /** The version that it was compared with. */
  against: string;
  differences: BreakingDifference[];
}

/** The differences by which a new version breaks the promise of its number, compared with the releases before and after it. */
export function brokenPromise(versions: readonly ToolVersion[], contract: ToolContract, semver: Semver): BrokenPromise | undefined {
  const { older, newer } = neighbours(versions, semver);
  const since = older ? breakingDifferences(older.contract, contract, stepBetween(older.semver, semver)) : [];
  if (older && since.length > 0) return { against: older.version, differences: since };
  const until = newer ? breakingDifferences(contract, newer.contract, stepBetween(semver, newer.semver)) : [];
  return newer && until.length > 0 ? { against: newer.version, differences: until } : undefined;
}

function runsOn(event: Registered): ToolVersion['runs_on'] {
  const { environment = 'default', adapter = '', adapter_version = '', protocol_version = null } = event;
  return { environment, adapter, adapter_version, protocol_version };
}

function refuse(state: ConfigurationState, event: Registered, digest: string, why: BrokenPromise): void {
  const { name, version, executor_id, lanes, registered_at_ms, only_tenant: tenant_id = null } = event;
  state.refused.set(refusalKey(tenant_id, name, version), {
    tenant_id,
    name,
    version,
    digest,
    executor_id,
    lanes,
    refused_at_ms: registered_at_ms,
    ...why,
  });
}

/** The tools that a registration belongs to: of one tenant, or of packs. */
function toolsOf(state: ConfigurationState, tenant_id: string | null): Map<string, ToolVersion[]> {
  if (tenant_id === null) return state.tools;
  const part = tenantPart(state, tenant_id);
  part.tools ??= new Map();
  return part.tools;
}

/**
 * Registers a contract. Executors of several lanes announce the same contract: lanes accumulate while the digest stays the same; another
 * digest starts a new set. A new version that breaks the promise of its number is refused, by all services alike. If a known version
 * arrives with another contract, it has drifted: the new contract is used, and `first_pin` keeps the one that callers agreed to.
 */
export function register(state: ConfigurationState, event: Registered): void {
  const read = readContract(event);
  const semver = parseSemver(event.version);
  if (!read || !semver) {
    state.unreadable_registrations++;
    return;
  }
  const { contract, digest } = read;
  const { name, version, executor_id, registered_at_ms } = event;
  const { only_tenant: tenant_id = null } = event;
  const tools = toolsOf(state, tenant_id);
  const versions = tools.get(name) ?? [];
  const before = versions.find((known) => known.version === version);
  const breaks = before ? undefined : brokenPromise(versions, contract, semver);
  if (breaks) {
    refuse(state, event, digest, breaks);
    return;
  }
  state.refused.delete(refusalKey(tenant_id, name, version));
  const lanes = new Set(before?.digest === digest ? [...before.lanes, ...event.lanes] : event.lanes);
  const pin = before?.digest === digest ? before.pin : read.pin;
  const evaluation = readEvaluation(event.evaluation_json ?? null) ?? (before?.digest === digest ? before.evaluation : null);
  const gate = { gated: event.gated ?? false, evaluation, pin, first_pin: before?.first_pin ?? pin, runs_on: runsOn(event) };
  const tool: ToolVersion = { name, version, semver, contract, digest, lanes, executor_id, registered_at_ms, ...gate };
  const others = versions.filter((known) => known !== before);
  tools.set(
    name,
    [...others, tool].sort((a, b) => compareSemver(b.semver, a.semver)),
  );
  if (before && before.digest !== digest) drifted(state, before, tool);
}

function drifted(state: ConfigurationState, before: ToolVersion, tool: ToolVersion): void {
  state.drifted += Number(tool.pin !== tool.first_pin) - Number(before.pin !== before.first_pin);
  state.revocation_epoch++;
}
