import { type ConfigurationState, deprecationNotice, lifecycleEntry } from '@countersign/domain';
import type { Job } from '../calls/job.js';

/** What the caller is told where the version that ran is deprecated; undefined, at the cost of a look, where nothing is. */
export function deprecationOf(state: ConfigurationState, job: Job): string | undefined {
  const part = state.by_tenant.get(job.tenant_id);
  if (!part || part.lifecycles.size === 0) return undefined;
  const { tool, version } = job.call;
  const entry = lifecycleEntry(part, tool, version);
  return entry?.state === 'deprecated' ? deprecationNotice(tool, version, entry) : undefined;
}
