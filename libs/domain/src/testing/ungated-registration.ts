import type { ToolRegistered } from '@countersign/contracts';

/** The gate and pin fields of a registration without gates and pins. */
export const ungatedRegistration: Pick<
  ToolRegistered,
  'gated' | 'evaluation_json' | 'environment' | 'adapter' | 'adapter_version' | 'protocol_version'
> = { gated: false, evaluation_json: null, environment: 'default', adapter: '', adapter_version: '', protocol_version: null };
