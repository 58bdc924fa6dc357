import { startExecutor } from '@countersign/executor';
import { type RunningGateway, startGateway } from '@countersign/gateway';
import { startPolicy } from '@countersign/policy-service';
import type { AppDeps, RunningApp } from '@countersign/process';
import { startProjector } from '@countersign/projector';
import type { StandaloneConfig } from './config.js';

/** All four services in one process on the same parts; the gateway comes last, so that it only listens where it can serve. */
export async function startStandalone(deps: AppDeps, config: StandaloneConfig): Promise<RunningApp> {
  const started: RunningApp[] = [];
  const close = async () => {
    for (const app of started.reverse()) await app.close();
  };
  try {
    started.push(await startProjector(deps, config.projector));
    started.push(await startPolicy(deps, config.policy));
    started.push(await startExecutor(deps, config.executor));
    const inner = [...started];
    const gateway = await startGateway(deps, config.gateway, () => inner.every((app) => app.ready()));
    started.push(gateway);
    welcome(config.gateway, gateway);
  } catch (error) {
    await close();
    throw error;
  }
  return { ready: () => started.every((app) => app.ready()), close };
}

/** The only thing that standalone says on a quiet day; the key is shown by the first start and never again. */
function welcome({ host, data_dir }: StandaloneConfig['gateway'], { port, admin_key }: RunningGateway): void {
  process.stdout.write(`Countersign listens on http://${host}:${port}\n`);
  if (admin_key) process.stdout.write(`Admin key, shown this once and kept in ${data_dir}/admin.key: ${admin_key}\n`);
}
