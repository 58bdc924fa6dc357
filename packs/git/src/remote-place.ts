import { realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readLayout } from '@countersign/tool-kit/tenant-folders/layout';
import { refused } from './refusal.js';
import type { Repository } from './repository.js';

/**
 * Refuses a remote that is a folder of another tenant: a push would write a branch there. Any other address is what the
 * owner of the repository configured.
 */
export async function checkRemotePlace(repository: Repository, remote: string): Promise<void> {
  const { tenant_root } = repository;
  const beside = dirname(tenant_root);
  if ((await readLayout(beside).catch(() => undefined))?.layout !== 'by_tenant') return;
  const urls = [
    await repository.run(['remote', 'get-url', '--all', remote]),
    await repository.run(['remote', 'get-url', '--push', '--all', remote]),
  ];
  for (const path of urls.flatMap((lines) => lines.split('\n')).flatMap(localPathsOf)) {
    const place = resolve(repository.folder, path);
    const real = await realpath(place).catch(() => place);
    if (isBelow(real, beside) && !isBelow(real, tenant_root))
      throw refused(
        '/remote',
        'other_tenant',
        `remote ${JSON.stringify(remote)} is a folder of another tenant; an operator has to give it another address`,
      );
  }
}

/** The paths that git may take an address for; none for one of another machine. */
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
