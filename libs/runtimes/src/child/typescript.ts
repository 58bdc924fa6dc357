import type { Options } from '@swc/wasm-typescript';
import { transformSync } from '@swc/wasm-typescript';

/** Reported by the compiler; not an Error. */
interface CompilerFault {
  code?: unknown;
  message?: unknown;
  startLine?: unknown;
}

const faultOf = (thrown: unknown): CompilerFault => (typeof thrown === 'object' && thrown !== null ? thrown : { message: thrown });

function compiled(source: string, filename: string, options: Options): string {
  const { code, map } = transformSync(source, { ...options, filename, module: true });
  return map === undefined ? code : `${code}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`;
}

/**
 * TypeScript as JavaScript. Types are replaced by blanks, so that lines and columns stay; syntax that has a meaning at run time (enums,
 * parameter properties) is compiled. Types are not checked.
 * @throws SyntaxError with the line
 */
export function javascriptOf(source: string, filename: string): string {
  try {
    return compiled(source, filename, { mode: 'strip-only' });
  } catch (thrown) {
    if (faultOf(thrown).code !== 'UnsupportedSyntax') throw syntaxError(thrown, filename);
  }
  try {
    return compiled(source, filename, { mode: 'transform', sourceMap: true });
  } catch (thrown) {
    throw syntaxError(thrown, filename);
  }
}

function syntaxError(thrown: unknown, filename: string): SyntaxError {
  const { message, startLine } = faultOf(thrown);
  return new SyntaxError(`${filename}${typeof startLine === 'number' ? `:${startLine}` : ''}: ${String(message)}`);
}
