export * from './store.js';
export * from './views/approval-writes.js';
export * from './views/approvals.js';
export * from './views/calls.js';
export * from './views/case-history.js';
export * from './views/cases.js';
export { type Cursor, cursorText, type Page, parseCursor } from './views/cursor.js';
export * from './views/projection-position.js';
export { viewTableNames, viewTables } from './views/tables.js';
