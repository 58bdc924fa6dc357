import type { ToolRegistered } from '@countersign/contracts';

/** The parts of a registration that speak of gates and pins, where there are none. */
export const ungatedRegistration: Pick<
  ToolRegistered,
  'gated' | 'evaluation_json' | 'environment' | 'adapter' | 'adapter_version' | 'protocol_version'
> = { gated: false, evaluation_json: null, environment: 'default', adapter: '', adapter_version: '', protocol_version: null };
