import type { EventMap } from '@countersign/contracts';
import { type ConfigurationState, tenantPart } from '../state.js';

export function setLifecycle(state: ConfigurationState, event: EventMap['tool_lifecycle_set']): void {
  const { lifecycles } = tenantPart(state, event.meta.tenant_id);
  const ofTool = lifecycles.get(event.tool) ?? new Map();
  lifecycles.set(event.tool, ofTool.set(event.version, event.state));
}
