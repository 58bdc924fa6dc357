import { camel, kebab } from './names.js';

const LIST = /^(\s*)tools: \[(\s*)/m;

/** The index of a pack with one tool more; undefined: it has no list that is written as usual. */
export function withTool(index: string, tool: string): string | undefined {
  const imports = [...index.matchAll(/^import .*;$/gm)];
  const last = imports.at(-1);
  if (!last || !LIST.test(index)) return undefined;
  const end = last.index + last[0].length;
  const imported = `${index.slice(0, end)}\nimport { ${camel(tool)} } from './${kebab(tool)}/${kebab(tool)}.ts';${index.slice(end)}`;
  return imported.replace(LIST, (_, indent: string, gap: string) => {
    const before = gap.includes('\n') ? gap : `\n${indent}  `;
    return `${indent}tools: [${before}${camel(tool)},${gap === '' ? ' ' : before}`;
  });
}
