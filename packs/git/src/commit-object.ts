import type { RunContext } from '@countersign/tool-kit';
import { refused } from './refusal.js';
import type { Repository } from './repository.js';

const HOST = 'agents.countersign.invalid';
const UUID_V7 = /^\d+-([0-9a-f]{8})-([0-9a-f]{4})-7/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/u;

/**
 * Writes a commit object for this call and returns its id; no branch moves. The author is the caller, the committer the platform, both at
 * the time in the call's id, and the key is a trailer: the same call on the same parents gives the same commit.
 */
export async function writeCommit(repository: Repository, commit: { tree: string; parents: string[]; message: string }): Promise<string> {
  const { ctx } = repository;
  const date = `@${Math.floor(timeOf(ctx.call_id) / 1000)} +0000`;
  const name = identity(ctx.principal.id);
  const env = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: `${name.replace(/[^A-Za-z0-9._-]/g, '-')}@${HOST}`,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: 'Countersign',
    GIT_COMMITTER_EMAIL: `countersign@${HOST}`,
    GIT_COMMITTER_DATE: date,
  };
  const input = `${checkedMessage(commit.message)}\n\n${trailers(ctx)}\n`;
  const parents = commit.parents.flatMap((parent) => ['-p', parent]);
  return (await repository.run(['commit-tree', ...parents, '-F', '-', commit.tree], { input, env })).trim();
}

/** The message unchanged, except for text that would be parsed as one of the platform's trailers. */
export function checkedMessage(message: string): string {
  const text = message.trim();
  if (text === '') throw refused('/message', 'empty', 'the message is empty');
  if (CONTROL.test(text) || /\p{Surrogate}/u.test(text))
    throw refused('/message', 'control_character', 'the message has control characters');
  if (/^\s*countersign-/im.test(text))
    throw refused('/message', 'reserved', 'a line of the message begins like a trailer that the platform writes');
  return text;
}

function trailers(ctx: RunContext): string {
  return [`Countersign-Call: ${ctx.call_id}`, `Countersign-Key: ${ctx.idempotency_key}`]
    .map((line) => line.replace(/[\r\n]/g, ' '))
    .join('\n');
}

function identity(id: string): string {
  const plain = id
    .replace(/[<>\p{Cc}\p{Surrogate}]/gu, '')
    .trim()
    .slice(0, 100);
  return plain === '' ? 'agent' : plain;
}

/** Milliseconds of the UUIDv7 in a call id; the current time for other ids. */
function timeOf(call_id: string): number {
  const parts = UUID_V7.exec(call_id);
  return parts ? Number.parseInt(`${parts[1]}${parts[2]}`, 16) : Date.now();
}
