import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript6';
import { expect, test } from 'vitest';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const file = path.join(root, 'packs/patterns/src/a-definition.ts');
const DEPRECATED_SIGNATURE = 6387;

const source = (deprecated: string) => `
import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
export const tool = defineTool({
  name: 'old_tool', version: '1.0.0', title: 'Old', description: 'A tool that is not to be used any more.', category: 'spec', effect_class: 'pure',
  ${deprecated}
  input: z.object({ a: z.string() }), output: z.object({ b: z.string() }), run: async ({ a }) => ({ b: a }),
});`;

/** What an editor, or a compiler with suggestions, says of a file that is not on the disk. */
function statedOf(text: string): { errors: number; suggestions: number[] } {
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    skipLibCheck: true,
    types: [],
  };
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => text,
    getScriptSnapshot: (name) => {
      const content = name === file ? text : ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  const errors = service.getSemanticDiagnostics(file).length;
  return { errors, suggestions: service.getSuggestionDiagnostics(file).map(({ code }) => code) };
}

test('a definition that says that it is deprecated is marked by the compiler, and another is not', () => {
  const marked = statedOf(source(`deprecated: { since: '2026-11-01', sunset_at: '2027-02-01', use: 'new_tool@1.0.0' },`));
  expect(marked.errors).toBe(0);
  expect(marked.suggestions).toContain(DEPRECATED_SIGNATURE);
  const plain = statedOf(source(''));
  expect(plain.errors).toBe(0);
  expect(plain.suggestions).not.toContain(DEPRECATED_SIGNATURE);
});
