import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isReadOnly, overlaps, type ResourceUse, resourcesOf } from '@countersign/contracts';
import { histories } from '@countersign/contracts/testing/histories';
import { pack as git } from '@countersign/pack-git';
import { ScratchRepository } from '@countersign/pack-git/scratch-repository';
import { pack as workspace } from '@countersign/pack-workspace';
import type { RunContext, Tool } from '@countersign/tool-kit';
import { testContext } from '@countersign/tool-kit/test-context';
import fc from 'fast-check';
import { expect, test } from 'vitest';

/** A write that ended with success, and what it acted on. */
interface Answer {
  tool: string;
  input: Record<string, string>;
  output: Record<string, string>;
  ctx: RunContext;
  uses: readonly ResourceUse[];
}

const toolNamed = (name: string): Tool => [...workspace.tools, ...git.tools].find(({ contract }) => contract.name === name) as Tool;

/** Whether an answer stands by what the contracts declare, without a look at the world. */
function stands(answer: Answer, later: readonly Answer[]): boolean {
  const ends = (mine: ResourceUse, other: ResourceUse) =>
    overlaps(mine.segments, other.segments) && (mine.effect === 'replaces' || other.effect === 'replaces');
  return answer.uses.length > 0 && !later.some(({ uses }) => uses.some((other) => answer.uses.some((mine) => ends(mine, other))));
}

/** A workspace with a repository in it, and all that agents did there. */
class World {
  readonly scratch = new ScratchRepository();
  readonly answers: Answer[] = [];

  constructor() {
    this.scratch.make();
  }

  private context(): RunContext {
    return testContext({ settings: this.scratch.settings });
  }

  /** A write that is refused has changed nothing, and is no answer. */
  async act(tool: string, input: Record<string, string>): Promise<void> {
    const { contract, run, changedNothing } = toolNamed(tool);
    const ctx = this.context();
    const output = await run(input as never, ctx).catch((error: unknown) => {
      expect(error).toMatchObject({ countersign_tool_error: true, more: { effect: 'none' } });
    });
    if (output === undefined || changedNothing?.(output as never)) return;
    this.answers.push({ tool, input, output: output as Record<string, string>, ctx, uses: resourcesOf(contract, input) });
  }

  private contentOf(path: string | undefined): string | undefined {
    try {
      return readFileSync(join(this.scratch.root, String(path)), 'utf8');
    } catch {
      return undefined;
    }
  }

  private commitOf(revision: string): string | undefined {
    try {
      return this.scratch.head(revision);
    } catch {
      return undefined;
    }
  }

  /** Whether the world is as the answer says. */
  holds({ tool, input, output }: Answer): boolean {
    switch (tool) {
      case 'write_file': {
        const content = this.contentOf(input.path);
        return input.mode === 'append' ? (content ?? '').includes(String(input.content)) : content === input.content;
      }
      case 'delete_file':
        return this.contentOf(input.path) === undefined;
      case 'move_file':
        return this.contentOf(input.source) === undefined && this.contentOf(input.destination) !== undefined;
      case 'git_branch':
        return (this.commitOf(`refs/heads/${input.branch}`) === undefined) === (input.action === 'delete');
      case 'git_checkout':
        return this.scratch.git(this.scratch.repo, 'symbolic-ref', '--short', 'HEAD') === input.branch;
      case 'git_merge':
        return this.scratch.git(this.scratch.repo, 'merge-base', String(output.merged), `refs/heads/${input.branch}`) === output.merged;
      default:
        throw new Error(`what ${tool} leaves is not known here`);
    }
  }

  /** Answers that stand by the contracts and not in the world. */
  false(): string[] {
    const standing = this.answers.filter((answer, at) => stands(answer, this.answers.slice(at + 1)));
    return standing.filter((answer) => !this.holds(answer)).map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`);
  }

  /** A commit that its read-back verifies has nothing to do if it is asked for again. */
  async expectVerifiedCommitsDone(): Promise<void> {
    const { run, verify } = toolNamed('git_commit');
    for (const { tool, input, output, ctx } of this.answers) {
      if (tool !== 'git_commit' || (await verify?.(input as never, output as never, ctx))?.kind !== 'verified') continue;
      await expect(run(input as never, this.context())).rejects.toMatchObject({ more: { details: { reason: 'nothing_to_commit' } } });
    }
  }

  /** A merge that its resources and its read-back let stand has nothing to do if it is asked for again. */
  async expectStandingMergesDone(): Promise<void> {
    const { run, verify, changedNothing } = toolNamed('git_merge');
    for (const [at, answer] of this.answers.entries()) {
      const { tool, input, output, ctx } = answer;
      if (tool !== 'git_merge' || !stands(answer, this.answers.slice(at + 1))) continue;
      if ((await verify?.(input as never, output as never, ctx).catch(() => undefined))?.kind !== 'verified') continue;
      expect(changedNothing?.((await run(input as never, this.context())) as never)).toBe(true);
    }
  }
}

const path = fc.constantFrom('app/a.txt', 'app/dir/b.txt', 'app/new.txt', 'beside.txt');
const branch = fc.constantFrom('agent/case-1/work', 'agent/case-1/other', 'agent/case-1/new');
const repo = fc.constant('app');
const content = fc.integer({ min: 0, max: 3 }).map((n) => `line ${n}\n`);
const write = <T extends object>(tool: string, inputs: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(inputs).map((input) => ({ tool, input: input as Record<string, string> }));
const step = fc.oneof(
  { weight: 4, arbitrary: write('write_file', { path, content, mode: fc.constantFrom('create', 'overwrite', 'append') }) },
  { weight: 2, arbitrary: write('delete_file', { path }) },
  { weight: 2, arbitrary: write('move_file', { source: path, destination: path }) },
  { weight: 2, arbitrary: write('git_commit', { repo, branch, message: fc.constantFrom('one', 'two') }) },
  { weight: 2, arbitrary: write('git_checkout', { repo, branch }) },
  { weight: 2, arbitrary: write('git_branch', { repo, branch, action: fc.constantFrom('create', 'delete') }) },
  { weight: 1, arbitrary: write('git_merge', { repo, branch, revision: fc.oneof(branch, fc.constant('main')) }) },
);

test('whatever agents do to files and branches in turn, no answer stands that the world has left', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
      const world = new World();
      try {
        for (const { tool, input } of steps) {
          await world.act(tool, input);
          expect(world.false()).toEqual([]);
        }
        await world.expectVerifiedCommitsDone();
        await world.expectStandingMergesDone();
      } finally {
        world.scratch.remove();
      }
    }),
    { numRuns: histories(5, 25) },
  );
});

test('every write of the two packs that declares nothing reads its effect back', () => {
  const writes = [...workspace.tools, ...git.tools].filter(({ contract }) => !isReadOnly(contract.effect_class));
  const unnamed = writes.filter(({ contract }) => contract.resources === undefined);
  expect(unnamed.map(({ contract }) => [contract.name, contract.has_verify])).toEqual([['git_commit', true]]);
});
