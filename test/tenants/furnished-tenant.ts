import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Api, Envelope } from '../journeys/api.js';
import type { JourneyPlatform } from '../journeys/journey-world.js';

const OLGA = ['-c', 'user.name=Olga Owner', '-c', 'user.email=olga@example.org', '-c', 'init.defaultBranch=main'];
export const git = (dir: string, ...args: string[]): string =>
  execFileSync('git', [...OLGA, ...args], { cwd: dir, encoding: 'utf8' }).trim();

const REGISTER = (word: string) => ({
  version: '1',
  complete_until: '2099-01-01T00:00:00Z',
  entries: [{ id: 'X', valid_from: '2020-01-01T00:00:00Z', valid_to: null, fields: { word } }],
});

/** A tenant with an agent, an approver, a case, files, a repository with a remote, and records; all contain its word. */
export class FurnishedTenant {
  private constructor(
    readonly tenant_id: string,
    readonly word: string,
    readonly case_id: string,
    private readonly people: { agent: Api; approver: Api },
    readonly folders: { workspace: string; records: string; remote: string },
  ) {}

  static async furnish(platform: JourneyPlatform, installation: Api, tenant_id: string, word: string): Promise<FurnishedTenant> {
    await installation.request('POST', '/v1/tenants', { tenant_id });
    const agentKey = await installation.request<{ key: string }>('POST', '/v1/keys', {
      tenant_id,
      principal: { kind: 'agent', id: 'agent-1', roles: ['agent'] },
      scopes: ['tool.lookup_record.invoke'],
      clearances: ['*'],
    });
    const agent = installation.as(agentKey.body.key);
    const approver = await installation.keyFor('user', 'anna', ['approver'], tenant_id, ['*']);
    const { case_id } = (await agent.request<{ case_id: string }>('POST', '/v1/cases', { title: 'work' })).body;
    const folders = {
      workspace: path.join(path.dirname(platform.workspace), tenant_id),
      records: path.join(platform.records, tenant_id),
      remote: path.join(path.dirname(platform.records), `${tenant_id}-remote`),
    };
    const tenant = new FurnishedTenant(tenant_id, word, case_id, { agent, approver }, folders);
    await tenant.call('write_file', { path: 'plan.txt', content: `${word} keeps this`, mode: 'create' });
    tenant.fillRecords();
    return tenant;
  }

  /** Makes a call and waits for its end; approves it if required. */
  async call(tool: string, inputs: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Envelope> {
    const { agent, approver } = this.people;
    const context = { purpose: 'reference' };
    const { body } = await agent.call({ tool, inputs, case_id: this.case_id, context }, { prefer: 'wait=30', ...headers });
    if (body.status !== 'pending_approval') return body;
    await approver.request('POST', `/v1/approvals/${body.approval?.approval_id}/votes`, { vote: 'approve' });
    return agent.callUntil(body.call_id, ({ status }) => !['pending_approval', 'running', 'pending_policy'].includes(status));
  }

  /** Creates a repository `app` with two commits and a branch of the case with one more. */
  makeRepository(): void {
    const { workspace, remote } = this.folders;
    const repo = path.join(workspace, 'app');
    for (const dir of [repo, remote]) mkdirSync(dir, { recursive: true });
    git(remote, 'init', '--quiet', '--bare');
    git(repo, 'init', '--quiet');
    for (const text of ['first', 'second']) {
      writeFileSync(path.join(repo, 'a.txt'), `${this.word} ${text}\n`);
      git(repo, 'add', '.');
      git(repo, 'commit', '--quiet', '-m', `${this.word} ${text}`);
    }
    git(repo, 'remote', 'add', 'origin', remote);
    git(repo, 'push', '--quiet', 'origin', 'main');
    git(repo, 'branch', `agent/${this.case_id}/side`, 'main~1');
    git(repo, 'switch', '--quiet', '--create', `agent/${this.case_id}/work`);
    writeFileSync(path.join(repo, 'a.txt'), `${this.word} third\n`);
  }

  /** All files of this tenant on the disk, including hidden ones, by digest. */
  everything(): Record<string, string> {
    return Object.assign({}, ...Object.entries(this.folders).map(([name, folder]) => digests(folder, name)));
  }

  async tools(): Promise<{ name: string; effect_class: string }[]> {
    const list = await this.people.agent.request<{ items: { name: string }[] }>('GET', '/v1/tools?limit=500');
    const one = async ({ name }: { name: string }) => {
      const { body } = await this.people.agent.request<{ versions: { contract: { effect_class: string } }[] }>('GET', `/v1/tools/${name}`);
      return { name, effect_class: JSON.stringify(body).match(/"effect_class":"(\w+)"/)?.[1] as string };
    };
    return Promise.all(list.body.items.map(one));
  }

  private fillRecords(): void {
    const write = (name: string, content: string) => {
      mkdirSync(path.dirname(path.join(this.folders.records, name)), { recursive: true });
      writeFileSync(path.join(this.folders.records, name), content);
    };
    const object = { at: '2026-10-01T00:00:00Z', markings: [], fields: { amount: '12.5', word: this.word } };
    write(`registers/of_${this.tenant_id}.json`, JSON.stringify(REGISTER(this.word)));
    write(`objects/of_${this.tenant_id}.jsonl`, JSON.stringify(object));
    write(`corpora/of_${this.tenant_id}/corpus.json`, '{"markings":[]}');
    write(`corpora/of_${this.tenant_id}/a.md`, `The plan of ${this.word} is secret.\n`);
  }
}

function digests(folder: string, name: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const key = `${name}/${path.relative(folder, file)}`;
    if (entry.isFile()) found[key] = createHash('sha256').update(readFileSync(file)).digest('hex');
    else found[key] = entry.isSymbolicLink() ? readlinkSync(file) : 'folder';
  }
  return found;
}
