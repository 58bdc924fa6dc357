import type { EventMap } from '@countersign/contracts';
import type { ConfigurationState } from '../state/configuration.js';

export function setTenant(state: ConfigurationState, event: EventMap['tenant_set']): void {
  const { lane, weight, running_max, in_flight_max } = event;
  state.tenants.set(event.meta.tenant_id, { tenant_id: event.meta.tenant_id, lane, weight, running_max, in_flight_max });
}
