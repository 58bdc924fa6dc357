import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readLayout } from '@countersign/tool-kit/tenant-folders/layout';
import { refused } from './refusal.js';
import type { Repository } from './repository.js';

/**
 * Refuses a remote that is a folder of another tenant, where a push would write a branch, and one that is a folder of the workspace,
 * where agents write: git runs the programs in the configuration and the hooks of the remote. The owner of the repository is responsible
 * for any other configured address.
 */
export async function checkRemotePlace(repository: Repository, remote: string): Promise<void> {
  const { tenant_root } = repository;
  const urls = [
    await repository.run(['remote', 'get-url', '--all', remote]),
    await repository.run(['remote', 'get-url', '--push', '--all', remote]),
  ];
  for (const path of new Set(urls.flatMap((lines) => lines.split('\n')).flatMap(localPathsOf))) {
    const place = resolve(repository.folder, path);
    const real = await realpath(place).catch(() => place);
    if (isBelow(real, tenant_root)) await checkOwnFolder(real, remote);
    else await checkOtherTenants(real, dirname(tenant_root), remote);
  }
}

/** Agents can write everything in the folder of their tenant except `.git`. */
async function checkOwnFolder(real: string, remote: string): Promise<void> {
  if (real.split('/').includes('.git')) return;
  const dot = await lstat(join(real, '.git')).catch(() => undefined);
  if (!dot?.isDirectory())
    throw refused(
      '/remote',
      'in_workspace',
      `remote ${JSON.stringify(remote)} is inside the workspace, where agents can write its hooks: an operator must move it out of the workspace`,
    );
}

async function checkOtherTenants(real: string, beside: string, remote: string): Promise<void> {
  if (!isBelow(real, beside) || (await readLayout(beside).catch(() => undefined))?.layout !== 'by_tenant') return;
  throw refused(
    '/remote',
    'other_tenant',
    `remote ${JSON.stringify(remote)} is a folder of another tenant: an operator must set another address`,
  );
}

/** The local paths that git may read from an address; empty for one of another machine. */
function localPathsOf(url: string): string[] {
  if (url === '') return [];
  const file = /^file:\/\/[^/]*(\/.*)$/i.exec(url)?.[1];
  if (file !== undefined) return [file, decoded(file)];
  const is_remote = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) || /^[^/]*:/.test(url);
  return is_remote ? [] : [url];
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
