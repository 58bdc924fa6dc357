import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Answer, Api, Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import { type Upstream, until } from './upstream-answers.js';

const SERVERS = process.env.COUNTERSIGN_TEST_UPSTREAMS ?? '';

/** Commands of the reference servers that keep their files below this folder. */
function commandsIn(root: string): object[] {
  const program = (name: string) => [process.execPath, `${SERVERS}/node_modules/@modelcontextprotocol/server-${name}/dist/index.js`];
  const command = (name: string, argv: string[]) => {
    const folder = path.join(root, name);
    mkdirSync(folder);
    return { name, argv, read: [SERVERS], state: { folder } };
  };
  return [
    command('memory', ['env', 'MEMORY_FILE_PATH=/state/memory.jsonl', ...program('memory')]),
    command('filesystem', [...program('filesystem'), '/state']),
    command('everything', program('everything')),
  ];
}

/** The people of one tenant who set upstreams up and call their tools. */
export interface UpstreamPeople {
  author: Api;
  operator: Api;
  agent: Api;
}

/** A platform with the reference servers as commands. What they did is read from their files. */
export class ReferenceUpstreams {
  private constructor(
    readonly platform: EmbeddedPlatform,
    private readonly root: string,
  ) {}

  static async start(): Promise<ReferenceUpstreams> {
    if (SERVERS === '') throw new Error('run npm run test:upstreams: it installs the servers');
    const root = mkdtempSync(path.join(tmpdir(), 'countersign-state-'));
    const commands = JSON.stringify(commandsIn(root));
    const env = { COUNTERSIGN_PACKS: 'workspace', COUNTERSIGN_UPSTREAM_COMMANDS: commands, COUNTERSIGN_UPSTREAM_IDLE_MS: '600000' };
    return new ReferenceUpstreams(await EmbeddedPlatform.start(env), root);
  }

  async people(tenant_id: string): Promise<UpstreamPeople> {
    const admin = this.platform.admin();
    if (tenant_id !== 'default') await admin.request('POST', '/v1/tenants', { tenant_id });
    return {
      author: await admin.keyFor('user', 'tess', ['tool_author'], tenant_id),
      operator: await admin.keyFor('user', 'olga', ['operator', 'approver'], tenant_id),
      agent: await admin.keyFor('agent', 'agent-1', ['agent'], tenant_id),
    };
  }

  /** Where an upstream of a tenant keeps its files. */
  state(command: string, tenant_id: string, upstream: string): string {
    return path.join(this.root, command, tenant_id, upstream, 'workspace');
  }

  async close(): Promise<void> {
    await this.platform.close();
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Sets an upstream and waits until it is listed. */
export async function listedUpstream({ author, operator }: UpstreamPeople, name: string, body: object): Promise<Upstream> {
  const { status, body: set } = await author.request<Upstream>('PUT', `/v1/upstreams/${name}`, body);
  if (status >= 300) throw new Error(`PUT /v1/upstreams/${name} answered ${status}: ${JSON.stringify(set)}`);
  return until(
    async () => (await operator.request<Upstream>('GET', `/v1/upstreams/${name}`)).body,
    ({ revision, health }) => revision === set.revision && health.state === 'healthy',
  );
}

/** Classifies tools by their exact names, and waits until agents are offered the new versions. */
export async function classified({ operator, agent }: UpstreamPeople, name: string, tools: Record<string, object>): Promise<void> {
  const seen = (await operator.request<Upstream>('GET', `/v1/upstreams/${name}`)).body;
  const digestOf = (tool: string) => seen.tools.find((each) => each.tool === tool)?.digest;
  const items = Object.entries(tools).map(([tool, overlay]) => ({ tool, digest: digestOf(tool), ...overlay }));
  const url = `/v1/upstreams/${name}/classifications`;
  const answer = await operator.request<{ items: { name: string; version: string }[] }>('POST', url, { tools: items });
  if (answer.status >= 300) throw new Error(`${url} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  for (const { name: tool, version } of answer.body.items)
    await until(
      async () => (await agent.request<{ version: string }>('GET', `/v1/tools/${tool}`)).body,
      (shown) => shown.version === version,
    );
}

/** So much that an edit takes a while: kills are to come during it. */
const LINES = Array.from({ length: 20_000 }, (_, at) => `line ${at}\n`).join('');

/** Files that an effect is counted in: each run of the edit of a key adds one mark to the file of that key. */
export class MarkedFiles {
  constructor(
    readonly folder: string,
    private readonly tool = 'files__edit_file',
  ) {}

  /** A call that adds the mark of this key; the same key is the same request. */
  edit(key: string): { tool: string; inputs: Record<string, unknown> } {
    const file = path.join(this.folder, key);
    if (!existsSync(file)) writeFileSync(file, `${LINES}END`);
    return { tool: this.tool, inputs: { path: `/state/${key}`, edits: [{ oldText: 'END', newText: `+${key} END` }], dryRun: false } };
  }

  marks(key: string): number {
    return readFileSync(path.join(this.folder, key), 'utf8').split(`+${key} `).length - 1;
  }

  get names(): string[] {
    return readdirSync(this.folder);
  }
}

/** Sends the same request several times at once; requests that a kill breaks have no answer. */
export async function sentTogether(api: Api, body: { tool: string; inputs: Record<string, unknown> }, times: number): Promise<Envelope[]> {
  const answers = await Promise.allSettled(Array.from({ length: times }, () => api.call(body, { prefer: 'wait=20' })));
  const settled = answers.filter((answer): answer is PromiseFulfilledResult<Answer<Envelope>> => answer.status === 'fulfilled');
  return settled.map(({ value }) => value.body);
}

const ENDS = ['succeeded', 'failed', 'in_doubt', 'denied'];

/** Sends it until it has an end. */
export async function ended(api: Api, body: { tool: string; inputs: Record<string, unknown> }): Promise<Envelope> {
  return until(
    async () => (await api.call(body, { prefer: 'wait=20' })).body,
    ({ status }) => ENDS.includes(status),
  );
}
