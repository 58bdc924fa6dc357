import { createRequire } from 'node:module';

/** Libraries that a pack without its own copy takes from the platform. */
export const SHARED = ['@countersign/tool-kit', 'zod'] as const;

/** True for a module whose types must be removed before it runs. */
export const isTypescript = (url: string): boolean => /\.m?ts$/.test(url.split(/[?#]/)[0] as string);

/** Whether loading this module takes hooks: it is TypeScript, or lacks a library that the platform provides. */
export function needsHooks(module: string): boolean {
  if (isTypescript(module)) return true;
  const require = createRequire(module);
  return SHARED.some((name) => {
    try {
      require.resolve(name);
      return false;
    } catch {
      return true;
    }
  });
}
