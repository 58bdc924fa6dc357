import type { RunContext } from '@countersign/tool-kit';
import { z } from 'zod';
import { refused } from './refusal.js';

export const PROTECTED_SETTING = 'COUNTERSIGN_GIT_PROTECTED';

const REF = /^[A-Za-z0-9_%][A-Za-z0-9_%+.=/-]*$/;
const REVISION = /^[A-Za-z0-9_@%][A-Za-z0-9_%+.=/@{}^~-]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/u;

export const repoInput = z.string().max(1024).default('.').describe('Folder of the repository, relative to the workspace.');
export const branchInput = z.string().min(1).max(200).describe('Full name of a branch of this case: agent/<case>/<name>.');
export const revisionInput = z.string().min(1).max(200);
export const pathInput = z.string().min(1).max(1024);

/** The branches of agents: `agent/<case>/`, the case's id with everything but letters, digits, _ and - percent-encoded. */
function caseFolder(ctx: RunContext): string {
  if (ctx.case_id === null) throw refused('/branch', 'no_case', 'agents work on branches of a case, but this call has no case');
  const name = [...Buffer.from(ctx.case_id)].map((byte) => {
    const char = String.fromCharCode(byte);
    return /[A-Za-z0-9_-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return `agent/${name.join('')}/`;
}

/** A branch that this call may change. @throws ToolError for a branch of another case, a protected one, or an invalid name. */
export function agentBranch(branch: string, ctx: RunContext, pointer = '/branch'): string {
  const folder = caseFolder(ctx);
  if (!isRefName(branch)) throw refused(pointer, 'not_a_branch', `${JSON.stringify(branch)} is not an allowed branch name`);
  if (!branch.startsWith(folder))
    throw refused(pointer, 'not_an_agent_branch', `agents of this case may only use branches below ${folder}`, { prefix: folder });
  if (isProtected(branch, ctx)) throw refused(pointer, 'protected', `${branch} is protected`);
  return branch;
}

/** Checks a revision, which is only passed to `rev-parse`. */
export function checkedRevision(revision: string, pointer: string): string {
  const odd = !REVISION.test(revision) || revision.includes('..') || revision.includes('//');
  if (odd) throw refused(pointer, 'not_a_revision', `${JSON.stringify(revision)} is not an allowed revision`);
  return revision;
}

/** A path below the repository, used literally. */
export function checkedPath(path: string, pointer: string): string {
  if (path.startsWith('/') || CONTROL.test(path) || path.includes('\\') || /\p{Surrogate}/u.test(path)) {
    throw refused(pointer, 'not_a_path', 'the path must be relative to the repository, without backslashes and control characters');
  }
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw refused(pointer, 'parent', 'the path must not contain ..');
  if (names.length === 0) throw refused(pointer, 'not_a_path', 'the path is the repository itself');
  if (names.some(isReserved)) throw refused(pointer, 'reserved', 'agents may not use this path');
  return names.join('/');
}

/** `.git` in any spelling that some file system treats as equal, and all names of the platform. */
export function isReserved(name: string): boolean {
  const plain = name
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[. ]+$/, '');
  return plain === '.git' || plain === 'git~1' || plain.startsWith('.git:') || plain.startsWith('.countersign');
}

/** Stricter than git: no part begins with a dot or a dash, or ends in .lock. */
function isRefName(name: string): boolean {
  if (!REF.test(name) || name.endsWith('.') || name.includes('..')) return false;
  return name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.startsWith('-') && !part.endsWith('.lock'));
}

function isProtected(branch: string, ctx: RunContext): boolean {
  const patterns = (ctx.settings[PROTECTED_SETTING] ?? '')
    .split(',')
    .map((pattern) => pattern.trim().toLowerCase())
    .filter(Boolean);
  const name = branch.toLowerCase();
  return patterns.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern));
}
