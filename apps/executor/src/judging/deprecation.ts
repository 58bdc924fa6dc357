import { type ConfigurationState, deprecationNotice, lifecycleEntry } from '@countersign/domain';
import type { Job } from '../calls/job.js';

/** The warning for a deprecated version; otherwise undefined, at the cost of one lookup. */
export function deprecationOf(state: ConfigurationState, job: Job): string | undefined {
  const part = state.by_tenant.get(job.tenant_id);
  if (!part || part.lifecycles.size === 0) return undefined;
  const { tool, version } = job.call;
  const entry = lifecycleEntry(part, tool, version);
  return entry?.state === 'deprecated' ? deprecationNotice(tool, version, entry) : undefined;
}
