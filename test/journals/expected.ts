import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { JOURNALS } from './journal-file.js';

const FILE = path.join(JOURNALS, 'expected.json');

/** Journal → fold → digest. */
export type Expected = Record<string, Record<string, string>>;

export const readExpected = (): Expected => JSON.parse(readFileSync(FILE, 'utf8')) as Expected;
export const writeExpected = (expected: Expected): void => writeFileSync(FILE, `${JSON.stringify(expected, null, 2)}\n`);
