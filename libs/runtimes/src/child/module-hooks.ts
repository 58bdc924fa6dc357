import { readFile } from 'node:fs/promises';
import type { LoadHook, ResolveHook } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isTypescript, SHARED } from './module-needs.js';

const isMissing = (cause: unknown): boolean => (cause as NodeJS.ErrnoException | null)?.code === 'ERR_MODULE_NOT_FOUND';

/** What to try if a module is missing: TypeScript beside the JavaScript that an import names, or the platform's copy of a library. */
function insteadOf(specifier: string, parent: string | undefined): { specifier: string; parentURL: string | undefined } | undefined {
  if (/^\.{1,2}\//.test(specifier))
    return /\.m?js$/.test(specifier) ? { specifier: specifier.replace(/js$/, 'ts'), parentURL: parent } : undefined;
  const is_shared = SHARED.some((name) => specifier === name || specifier.startsWith(`${name}/`));
  return is_shared ? { specifier, parentURL: import.meta.url } : undefined;
}

export const resolve: ResolveHook = async (specifier, context, next) => {
  try {
    return await next(specifier, context);
  } catch (cause) {
    const instead = isMissing(cause) ? insteadOf(specifier, context.parentURL) : undefined;
    if (!instead) throw cause;
    try {
      return await next(instead.specifier, { ...context, parentURL: instead.parentURL });
    } catch {
      throw cause;
    }
  }
};

export const load: LoadHook = async (url, context, next) => {
  if (!url.startsWith('file:') || !isTypescript(url)) return next(url, context);
  const file = fileURLToPath(url);
  const { javascriptOf } = await import('./typescript.js');
  return { format: 'module', source: javascriptOf(await readFile(file, 'utf8'), file), shortCircuit: true };
};
