import { type Reconciled, ToolError } from '@countersign/tool-kit';
import { failed, type Repository } from './repository.js';

/**
 * Written to the repository before a change, under the idempotency key: with it, the refs show afterwards whether the change happened. A
 * blob of JSON at `refs/countersign/receipts/<key>`; never pushed.
 */
export async function writeReceipt(repository: Repository, receipt: object): Promise<void> {
  const args = ['hash-object', '-w', '--stdin'];
  const blob = (await repository.run(args, { input: JSON.stringify(receipt) })).trim();
  const stored = await repository.try(['update-ref', refOf(repository.ctx.idempotency_key), blob]);
  if (stored.code !== 0) throw failed(['update-ref'], stored);
}

/** The receipt of this call's key, or of the given key. */
export async function readReceipt<R>(repository: Repository, key = repository.ctx.idempotency_key): Promise<R | undefined> {
  const blob = await repository.oidOf(refOf(key));
  return blob === undefined ? undefined : (JSON.parse(await repository.run(['cat-file', 'blob', blob])) as R);
}

/** Whether the branch contains the commit of its receipt. @param before the commit of the branch when the receipt was written. */
export async function reconciledCommit<R extends { branch: string; commit: string }>(
  repository: Repository,
  before: (receipt: R) => string,
): Promise<Reconciled<R>> {
  const receipt = await readReceipt<R>(repository);
  if (!receipt) return { kind: 'did_not_happen' };
  const head = await repository.oidOf(`refs/heads/${receipt.branch}`);
  if (head === undefined) return { kind: 'cannot_tell', why: 'the branch does not exist any longer' };
  if (await repository.isAncestor(receipt.commit, head)) return { kind: 'happened', output: receipt };
  return head === before(receipt) ? { kind: 'did_not_happen' } : { kind: 'cannot_tell', why: 'the branch was moved after the run' };
}

/** Removes the receipt of a change that was refused. */
export async function dropReceipt(repository: Repository): Promise<void> {
  await repository.try(['update-ref', '-d', refOf(repository.ctx.idempotency_key)]);
}

function refOf(key: string): string {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_-]{1,127}$/.test(key)) {
    throw new ToolError('VALIDATION_ERROR', 'the idempotency key cannot name a ref', { effect: 'none' });
  }
  return `refs/countersign/receipts/${key}`;
}
