import { SHARED_LANE, type TenantSet } from '@countersign/contracts';

/** Defaults of a tenant. */
export const tenantDefaults: Pick<TenantSet, 'lane' | 'weight' | 'running_max' | 'in_flight_max'> = {
  lane: SHARED_LANE,
  weight: 1,
  running_max: 256,
  in_flight_max: 10_000,
};
