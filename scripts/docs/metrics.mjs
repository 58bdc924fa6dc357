// docs/reference/metrics.md: every metric of a running platform, as /metrics names it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { table } from './markdown.mjs';

const LISTENING = /listens on (http:\S+)/;

/** What /metrics of an embedded platform answers; it is started for this and ended again. */
async function metricsText(root) {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-docs-'));
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    COUNTERSIGN_DATA_DIR: path.join(folder, 'data'),
    COUNTERSIGN_WORKSPACE_ROOT: path.join(folder, 'workspace'),
    COUNTERSIGN_RECORDS_ROOT: path.join(folder, 'records'),
    COUNTERSIGN_PORT: '0',
  };
  const child = spawn(process.execPath, [path.join(root, 'apps/standalone/dist/main.js')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    let output = '';
    for await (const chunk of child.stdout) {
      output += chunk;
      const url = LISTENING.exec(output)?.[1];
      if (url) return await (await fetch(`${url}/metrics`)).text();
    }
    throw new Error('the platform ended before it listened');
  } finally {
    child.kill();
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

export const page = async (root) => {
  const text = await metricsText(root);
  const rows = [...text.matchAll(/^# HELP (countersign_\S+) (.*)\n# TYPE \S+ (\S+)/gm)].map(([, name, help, type]) => [
    `\`${name}\``,
    type,
    help,
  ]);
  return `# Metrics

\`GET /metrics\` answers in the Prometheus text format: the gateway on its own port, the other services on \`COUNTERSIGN_HEALTH_PORT\`. It is open to
loopback, to auditors at the gateway and to holders of \`COUNTERSIGN_METRICS_TOKEN\`. Metrics of Node (\`process_*\`, \`nodejs_*\`) are there too.

${table(
  ['metric', 'type', 'meaning'],
  rows.sort(([a], [b]) => (a < b ? -1 : 1)),
)}
`;
};
