import type { Schemas } from '../gateway/schemas.js';
import { pathTo } from '../navigation/match.js';

export type ImportSummary = Schemas['OpenApiImportPage']['items'][number];
export type OpenApiImport = Schemas['OpenApiImport'];
export type ImportPlan = Schemas['OpenApiImportPlan'];
export type PlannedTool = ImportPlan['tools'][number];
/** What an import did: its plan, and how far executors have it. */
export type ImportedDocument = Schemas['ImportedOpenApiDocument'];

/** Who may import documents. Everyone may read what was imported. */
export const IMPORTERS = ['tool_author'];

export const importPath = (name: string): string => pathTo('/openapi-imports/:name', { name });
/** Where a document is imported, for the first time or again. */
export const importAgainPath = (name = ''): string => `/openapi-imports?import=${encodeURIComponent(name || 'new')}`;

export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** `12 new, 3 changed, 40 unchanged`. */
export function changesText(tools: readonly PlannedTool[]): string {
  const counts = (['new', 'changed', 'unchanged'] as const).map(
    (change) => [tools.filter((tool) => tool.change === change).length, change] as const,
  );
  return (
    counts
      .filter(([count]) => count > 0)
      .map(([count, change]) => `${count} ${change}`)
      .join(', ') || 'no tools'
  );
}
