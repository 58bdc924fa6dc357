import { type ExecutorConfig, parseExecutorConfig } from '@countersign/executor';
import { type GatewayConfig, parseGatewayConfig } from '@countersign/gateway';
import { type PolicyConfig, parsePolicyConfig } from '@countersign/policy-service';
import type { Environment, ParsedConfig, PlatformConfig } from '@countersign/process';
import { type ProjectorConfig, parseProjectorConfig } from '@countersign/projector';

export interface StandaloneConfig {
  gateway: GatewayConfig;
  policy: PolicyConfig;
  executor: ExecutorConfig;
  projector: ProjectorConfig;
}

/** The configurations of all four services, or all their faults together. */
export function parseStandaloneConfig(env: Environment, platform: PlatformConfig): ParsedConfig<StandaloneConfig> {
  const gateway = parseGatewayConfig(env, platform);
  const policy = parsePolicyConfig(env, platform.lanes);
  const executor = parseExecutorConfig(env, platform.lanes);
  const projector = parseProjectorConfig(env);
  if ('config' in gateway && 'config' in policy && 'config' in executor && 'config' in projector) {
    return { config: { gateway: gateway.config, policy: policy.config, executor: executor.config, projector: projector.config } };
  }
  return { faults: [gateway, policy, executor, projector].flatMap((parsed) => ('faults' in parsed ? parsed.faults : [])) };
}
