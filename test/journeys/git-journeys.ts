import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Envelope } from './api.js';
import type { JourneyWorld } from './journey-world.js';

const OLGA = ['-c', 'user.name=Olga Owner', '-c', 'user.email=olga@example.org', '-c', 'init.defaultBranch=main'];
const git = (dir: string, ...args: string[]): string => execFileSync('git', [...OLGA, ...args], { cwd: dir, encoding: 'utf8' }).trim();

/** A change by an agent in a real repository: on a branch of its case, and pushed after an approval. */
export function describeGitJourneys(at: JourneyWorld): void {
  describe('git', () => {
    let remote: string;
    let repo: string;
    let case_id: string;
    beforeAll(async () => {
      remote = mkdtempSync(path.join(tmpdir(), 'countersign-remote-'));
      git(remote, 'init', '--quiet', '--bare');
      repo = path.join(at.platform.workspace, 'app');
      mkdirSync(repo);
      git(repo, 'init', '--quiet');
      writeFileSync(path.join(repo, 'price.txt'), '10\n');
      git(repo, 'add', '.');
      git(repo, 'commit', '--quiet', '-m', 'First');
      git(repo, 'remote', 'add', 'origin', remote);
      git(repo, 'push', '--quiet', 'origin', 'main');
      case_id = (await at.agent.request<{ case_id: string }>('POST', '/v1/cases', { title: 'A price' })).body.case_id;
    });
    afterAll(() => rmSync(remote, { recursive: true, force: true }));

    const call = async (tool: string, inputs: Record<string, unknown>): Promise<Envelope> =>
      (await at.agent.call({ tool, inputs: { repo: 'app', ...inputs }, case_id })).body;

    test('an agent commits on a branch of its case, cannot write others, and pushes what a person approved', async () => {
      const branch = `agent/${case_id}/price`;
      expect((await call('git_branch', { action: 'create', branch })).status).toBe('succeeded');
      expect((await call('git_checkout', { branch })).status).toBe('succeeded');
      const edit = { path: 'app/price.txt', content: '12\n', mode: 'overwrite' };
      expect((await at.agent.call({ tool: 'write_file', inputs: edit, case_id })).body.status).toBe('succeeded');
      expect((await call('git_status', {})).output).toMatchObject({ branch, clean: false });
      expect((await call('git_diff', {})).output?.diff).toContain('+12');
      const committed = await call('git_commit', { branch, message: 'Raise the price' });
      expect(committed.status).toBe('succeeded');
      const commit = committed.output?.commit as string;
      expect(git(repo, 'rev-parse', branch)).toBe(commit);
      for (const taken of ['main', 'agent/another-case/price'])
        for (const [tool, inputs] of [
          ['git_commit', { branch: taken, message: 'no' }],
          ['git_checkout', { branch: taken }],
        ] as const)
          expect(await call(tool, inputs)).toMatchObject({ status: 'failed', error: { code: 'VALIDATION_ERROR' } });
      const submitted = await call('git_push', { branch, commit });
      expect(submitted.status).toBe('pending_approval');
      expect(git(remote, 'branch', '--list', branch)).toBe('');
      await at.anna.request('POST', `/v1/approvals/${submitted.approval?.approval_id}/votes`, { vote: 'approve' });
      await at.agent.callUntil(submitted.call_id, ({ status }) => status === 'succeeded');
      expect([git(remote, 'rev-parse', branch), git(remote, 'rev-parse', 'main')]).toEqual([commit, git(repo, 'rev-parse', 'main')]);
      expect((await call('git_log', { limit: 2 })).output).toMatchObject({
        commits: [{ commit, subject: 'Raise the price' }, { subject: 'First' }],
      });
      expect((await call('git_blame', { path: 'price.txt' })).output).toMatchObject({ lines: [{ commit, text: '12' }] });
    });
  });
}
