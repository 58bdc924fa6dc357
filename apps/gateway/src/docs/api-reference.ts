import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { htmlPage } from './html-page.js';

/** Files of the viewer that are served, with their content types. */
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const SWAGGER_UI = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** Starts the viewer. A separate file, because the page's policy blocks inline scripts. */
export const API_REFERENCE_START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#api', docExpansion: 'none', tagsSorter: 'alpha', persistAuthorization: false });\n`;

export const API_REFERENCE_PAGE = htmlPage(
  'API reference',
  `<link rel="stylesheet" href="/docs/api/swagger-ui.css">
<div id="api"></div>
<noscript>The API reference needs JavaScript; <a href="/openapi.json">/openapi.json</a> has the same content.</noscript>
<script src="/docs/api/swagger-ui-bundle.js"></script>
<script src="/docs/api/start.js"></script>`,
);

/** The files of the viewer (swagger-ui-dist), read when they are first requested. */
export class ApiReferenceFiles {
  private readonly files = new Map<string, Buffer>();

  async file(name: string): Promise<{ content_type: string; bytes: Buffer } | undefined> {
    const content_type = FILES[name];
    if (content_type === undefined) return undefined;
    const bytes = this.files.get(name) ?? (await readFile(path.join(SWAGGER_UI, name)));
    this.files.set(name, bytes);
    return { content_type, bytes };
  }
}
