import { readdirSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Envelope } from '../journeys/api.js';
import type { JourneyPlatform } from '../journeys/journey-world.js';
import { FurnishedTenant, git } from './furnished-tenant.js';
import { attempts, COMMON, type Target } from './tool-attempts.js';

const WORD = 'AcmeKeepsThis';
/** Both tenants send the same header for the same attempt. */
const sameKey = (tool: string, attempt: number) => ({ 'idempotency-key': `${tool} ${attempt}` });

/** Tests that a tenant's agent can reach nothing of another tenant with the built-in tools. */
export function describeTenantTools(at: { platform: JourneyPlatform }): void {
  describe('tools of two tenants', () => {
    let acme: FurnishedTenant;
    let rival: FurnishedTenant;
    let target: Target;
    const own = new Map<string, Envelope>();

    beforeAll(async () => {
      const root = at.platform.admin();
      acme = await FurnishedTenant.furnish(at.platform, root, 'toolsacme', WORD);
      rival = await FurnishedTenant.furnish(at.platform, root, 'toolsrival', 'RivalKeepsThat');
      acme.makeRepository();
      const commit = git(path.join(acme.folders.workspace, 'app'), 'rev-parse', 'HEAD');
      target = { tenant_id: acme.tenant_id, case_id: acme.case_id, commit, action_id: '' };
      for (const [tool, input] of Object.entries(attempts)) {
        const envelope = await acme.call(tool, input(target)[0] as Record<string, unknown>, sameKey(tool, 0));
        own.set(tool, envelope);
        if (tool === 'stage_action') target.action_id = envelope.output?.action_id as string;
      }
    });

    test('every built-in tool is tried, except for the pure ones and those that reach what all tenants share', async () => {
      const names = (await acme.tools()).filter((tool) => tool.effect_class !== 'pure' && !tool.name.startsWith('probe_'));
      expect(names.map(({ name }) => name).sort()).toEqual([...Object.keys(attempts), ...Object.keys(COMMON)].sort());
    });

    test('each of those attempts succeeds for the tenant itself', () => {
      expect([...own].filter(([, { status }]) => status !== 'succeeded').map(([tool, { error }]) => [tool, error])).toEqual([]);
      for (const tool of ['list_directory', 'git_log', 'git_diff', 'lookup_record', 'search_corpus', 'search_content'])
        expect(JSON.stringify(own.get(tool)?.output)).toMatch(/AcmeKeepsThis|plan\.txt/);
    });

    test('another tenant finds, reads, overwrites, moves and deletes nothing with them, even with the same keys', async () => {
      const before = acme.everything();
      const found: string[] = [];
      for (const [tool, input] of Object.entries(attempts))
        for (const [attempt, inputs] of input(target).entries()) {
          const { status, output, error, deduplicated, idempotency_key } = await rival.call(tool, inputs, sameKey(tool, attempt));
          const text = JSON.stringify({ output, error });
          if (text.includes(WORD) || text.includes(target.commit)) found.push(`${tool} ${JSON.stringify(inputs)}: ${status} ${text}`);
          if (deduplicated || idempotency_key === own.get(tool)?.idempotency_key) found.push(`${tool}: joined the call of another tenant`);
        }
      expect(found).toEqual([]);
      expect(acme.everything()).toEqual(before);
    });

    test("a commit of another tenant's branch is unknown, also with a repository of the same name", async () => {
      rival.makeRepository();
      for (const tool of ['git_log', 'git_diff']) {
        const { status, error } = await rival.call(tool, { repo: 'app', [tool === 'git_log' ? 'revision' : 'from']: target.commit });
        expect([status, error?.class]).toEqual(['failed', 'not_found']);
      }
      expect((await rival.call('git_log', { repo: 'app' })).output).toMatchObject({ commits: [{ subject: 'RivalKeepsThat second' }, {}] });
    });

    test('the root itself contains only the folders of the tenants', () => {
      const names = readdirSync(path.dirname(at.platform.workspace)).filter((name) => !name.startsWith('.countersign'));
      expect(names).toEqual(expect.arrayContaining(['toolsacme', 'toolsrival']));
      expect(names.filter((name) => !/^[a-z0-9=][a-z0-9=_-]*$/.test(name))).toEqual([]);
    });
  });
}
