import type { ToolContract } from '@countersign/contracts';
import { brokenPromise, type OpenApiTool, parseSemver, type ToolVersion } from '@countersign/domain';

type Known = Pick<OpenApiTool, 'version' | 'contract_json'>;

/** The smallest number after the newest version that allows the changes of a contract. */
export function nextVersion(newest: Known, contract: ToolContract): string {
  const [major = 1, minor = 0, patch = 0] = newest.version.split('.').map(Number);
  const candidates = [`${major}.${minor}.${patch + 1}`, `${major}.${minor + 1}.0`];
  const before = {
    version: newest.version,
    semver: parseSemver(newest.version),
    contract: JSON.parse(newest.contract_json),
  } as ToolVersion;
  const allowed = candidates.find((version) => {
    const semver = parseSemver(version);
    return semver !== undefined && brokenPromise([before], { ...contract, version }, semver) === undefined;
  });
  return allowed ?? `${major + 1}.0.0`;
}
