import { type Environment, type ParsedConfig, parsePlatformConfig } from '@countersign/process';

export interface ProjectorConfig {
  /** Lanes whose calls are folded; each is a consumer group of its own. */
  lanes: string[];
}

export function parseProjectorConfig(env: Environment): ParsedConfig<ProjectorConfig> {
  const platform = parsePlatformConfig(env);
  return 'faults' in platform ? platform : { config: { lanes: platform.config.lanes } };
}
