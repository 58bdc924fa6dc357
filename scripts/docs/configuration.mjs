// docs/reference/configuration.md: every variable that the product reads, from the zod schemas that read them.
import { executorVariables } from '../../apps/executor/dist/config.js';
import { gatewayVariables } from '../../apps/gateway/dist/config.js';
import { orchestratorVariables } from '../../apps/orchestrator/dist/config.js';
import { policyVariables } from '../../apps/policy/dist/config.js';
import { projectorVariables } from '../../apps/projector/dist/config.js';
import { platformVariables } from '../../libs/process/dist/platform-config.js';
import { healthVariables } from '../../libs/process/dist/run-service.js';
import { table } from './markdown.mjs';

/** Variables of packs, of the `countersign` command and of libraries: no schema reads them. */
const others = {
  'Built-in packs': [
    [
      'COUNTERSIGN_WORKSPACE_ROOT',
      'folder',
      '`./workspace`',
      'files and repositories of the workspace and git packs, one folder a tenant ([folders](../how-to/tenant-folders.md))',
    ],
    ['COUNTERSIGN_WORKSPACE_SHARED', '`true` or `false`', '`false`', 'let all tenants use one workspace'],
    [
      'COUNTERSIGN_GIT_PROTECTED',
      'list, separated by commas',
      '`main,master,release/*`',
      'branches that no git tool changes; a final `*` stands for any rest',
    ],
    ['COUNTERSIGN_RECORDS_ROOT', 'folder', '`./records`', 'registers, objects, corpora, staged actions and tasks of the patterns pack'],
    ['COUNTERSIGN_DEMO_ROOT', 'folder', '`./demo`', 'receipts of the fake systems of the demo pack'],
    [
      'COUNTERSIGN_HTTP_ALLOW',
      'list, separated by commas',
      '',
      'hosts (`host`, `host:port`) on private networks that the http tools may reach; metadata services and link-local addresses stay refused',
    ],
    [
      'COUNTERSIGN_OUTBOUND_PROXY',
      'URL or `environment`',
      '',
      'proxy for callbacks, webhooks, identity and the http tools; `environment` takes `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`; unset: these are not read',
    ],
  ],
  'The countersign command': [
    ['COUNTERSIGN_URL', 'URL', "this machine's gateway", 'gateway that the command asks'],
    ['COUNTERSIGN_KEY', 'API key', '`<data dir>/admin.key`', 'key of an operator; for `mcp` the key of an agent, without a default'],
    ['COUNTERSIGN_CASE', 'id', '', 'case of the calls of `mcp`'],
    ['COUNTERSIGN_RUN', 'id', '', 'run of the calls of `mcp`'],
    ['COUNTERSIGN_TOOLS', '`all` or `search`', 'by their number', 'whether `mcp` lists the tools or finds them'],
    ['COUNTERSIGN_TOKEN', 'API key', '', 'key of an auditor, for `witness` and `verify --log`'],
  ],
  Tracing: [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'URL', '', 'load the OpenTelemetry SDK and export one trace a call, from HTTP through every hop'],
  ],
};

const KIB = 1024;

/** 134217728 → `134217728` (128 MiB); 15000 of a variable in ms → `15000` (15 s). */
function shownDefault(name, value) {
  if (value === undefined || value === '') return '';
  const text = `\`${value}\``;
  if (/_BYTES/.test(name) && value >= KIB * KIB) return `${text} (${value / KIB / KIB} MiB)`;
  if (name.endsWith('_MS') && value >= 60_000) return `${text} (${value / 60_000} min)`;
  return name.endsWith('_MS') ? `${text} (${value / 1000} s)` : text;
}

/** What a variable's schema says of itself, whatever wraps it. */
function facts(schema) {
  const { type, defaultValue, innerType, in: input, entries, format } = schema.def;
  const { variable_type, description } = schema.meta() ?? {};
  const own = {
    ...(variable_type === undefined ? {} : { type: variable_type }),
    ...(description === undefined ? {} : { description }),
    ...(type === 'default' ? { default: defaultValue } : {}),
  };
  const inner = innerType ?? input;
  if (inner) return { ...facts(inner), ...own };
  if (entries)
    return {
      type: Object.values(entries)
        .map((entry) => `\`${entry}\``)
        .join(', '),
      ...own,
    };
  return { type: format === 'url' ? 'URL' : 'text', ...own };
}

function rows(schema) {
  return Object.entries(schema.shape)
    .filter(([name]) => name !== 'COUNTERSIGN_CRASH_AT' && !name.startsWith('COUNTERSIGN_TEST_'))
    .map(([name, variable]) => {
      const { type, description, ...rest } = facts(variable);
      if (!description) throw new Error(`${name}: its schema says nothing of it; add .describe('…')`);
      return [name, type, shownDefault(name, rest.default), description];
    });
}

export const page = () => {
  const sections = {
    Platform: rows(platformVariables),
    Gateway: rows(gatewayVariables),
    Policy: rows(policyVariables),
    Executor: rows(executorVariables),
    Orchestrator: rows(orchestratorVariables),
    Projector: rows(projectorVariables),
    'Health of policy, executor, orchestrator and projector': rows(healthVariables),
    ...others,
  };
  const seen = new Set();
  const tables = Object.entries(sections).map(([title, all]) => {
    const own = all.filter(([name]) => !seen.has(name) && seen.add(name));
    const lines = own.map(([name, ...cells]) => [`\`${name}\``, ...cells]);
    return `## ${title}\n\n${table(['variable', 'type', 'default', 'meaning'], lines)}\n`;
  });
  return `# Configuration

Every setting is an environment variable. A service reads them once at its start, checks all of them and names every fault before it exits.
An empty value counts as unset; white space only is an error. \`COUNTERSIGN_KAFKA_BROKERS\`, \`COUNTERSIGN_SCHEMA_REGISTRY_URL\`,
\`COUNTERSIGN_DATABASE_URL\` and \`COUNTERSIGN_REDIS_URL\` belong together: all four select distributed mode, none of them embedded mode.

${tables.join('\n')}`;
};
