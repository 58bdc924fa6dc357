import { runService } from '@countersign/process';
import { parseGatewayConfig } from './config.js';
import { startGateway } from './start-gateway.js';

process.exitCode = await runService(
  {
    name: 'gateway',
    parse: parseGatewayConfig,
    start: async (deps, config) => {
      const gateway = await startGateway(deps, config);
      if (gateway.admin_key !== undefined) process.stdout.write(`admin key (kept in ${config.data_dir}/admin.key): ${gateway.admin_key}\n`);
      if (gateway.sign_in_url !== undefined) process.stdout.write(`sign in within 10 minutes, on this machine: ${gateway.sign_in_url}\n`);
      return gateway;
    },
    has_http: true,
  },
  process.env,
);
// An open handle must not keep a failed process alive: its supervisor waits for the exit.
if (process.exitCode !== 0) process.exit();
