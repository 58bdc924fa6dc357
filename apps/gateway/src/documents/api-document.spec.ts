import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { apiDocumentText, documentOf, routedGateway } from '../testing/api-document.js';
import { API_DOCUMENT_FILE, ApiDocument } from './api-document.js';
import { documentText } from './document-text.js';

test('the served file equals the document of the routes; otherwise run npm run client', async () => {
  const text = readFileSync(API_DOCUMENT_FILE, 'utf8');
  expect(text === apiDocumentText(await routedGateway())).toBe(true);
  expect(await new ApiDocument().text()).toBe(text);
});

test('the file has a line for each operation and each schema, and the content of the document', async () => {
  const document = documentOf(await routedGateway());
  const text = documentText(document);
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)));
  expect(text.split('\n').filter((line) => line.startsWith('"/v1/limits":'))).toHaveLength(1);
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(60_000);
});
