/** Content-Security-Policy of the gateway's pages: nothing from other origins, no inline script. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'self'; frame-ancestors 'none'; form-action 'none'";

const escaped = (text: string): string => text.replace(/[&<>"]/g, (found) => `&#${found.charCodeAt(0)};`);

/** A whole page. `body` must be trusted HTML. */
export const htmlPage = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Countersign</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<header><a href="/">Countersign</a> <nav><a href="/docs">Documentation</a> <a href="/docs/api">API reference</a> <a href="/openapi.json">OpenAPI</a></nav></header>
<main>
${body}
</main>
</body>
</html>
`;

/** The style sheet of all pages; light or dark by the reader's system setting. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1d2733; --soft: #5a6b7d; --line: #d9e0e8; --page: #ffffff; --code: #f4f6f9; --link: #1f5fa8; }
@media (prefers-color-scheme: dark) { :root { --text: #e6ebf1; --soft: #9fb0c2; --line: #324150; --page: #12181f; --code: #1b242e; --link: #7db4f0; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: var(--text); background: var(--page); }
header { display: flex; gap: 1.5rem; flex-wrap: wrap; padding: 0.8rem 1.2rem; border-bottom: 1px solid var(--line); }
header > a { font-weight: 650; color: inherit; text-decoration: none; }
nav a { margin-right: 1rem; }
a { color: var(--link); }
main { max-width: 62rem; margin: 0 auto; padding: 1rem 1.2rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; } h2 { margin-top: 2.2rem; border-bottom: 1px solid var(--line); padding-bottom: 0.2rem; }
code { font: 0.88em ui-monospace, monospace; background: var(--code); padding: 0.1em 0.3em; border-radius: 4px; overflow-wrap: anywhere; }
main > pre { background: var(--code); padding: 0.9rem 1rem; border-radius: 6px; overflow-x: auto; } main > pre code { background: none; padding: 0; overflow-wrap: normal; }
table { border-collapse: collapse; display: block; overflow-x: auto; margin: 1rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.7rem; border-bottom: 1px solid var(--line); }
td code { overflow-wrap: break-word; } td:first-child code { white-space: nowrap; }
th { color: var(--soft); font-weight: 600; } img { max-width: 100%; }
`;
