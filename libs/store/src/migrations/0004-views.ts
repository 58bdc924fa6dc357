import { viewTables } from '../views/tables.js';
import type { Migration } from './migration.js';

/** The tables of the views, which are refolded from the log: their definition is views/tables.ts. */
export const views: Migration = { name: '0004-views', text: viewTables.join(';\n') };
