import { htmlPage } from './html-page.js';

/** `GET /`: what Countersign is and where to go. */
export const WELCOME_PAGE = htmlPage(
  'Welcome',
  `<h1>Countersign is running</h1>
<p>This is the gateway between AI agents and the systems they act on. Every tool call is typed, decided by policy, approved by a person where that is needed,
executed once, and kept on a log that can prove it.</p>
<p><img src="/docs/images/flow.svg" alt="An agent calls the gateway; policy decides, people approve, the executor runs the tool once, the log keeps every step"></p>
<h2>First steps</h2>
<ul>
<li><a href="/docs/tutorials/first-call">Your first call</a>: call a tool and read what happened</li>
<li><a href="/docs/tutorials/first-approval">Your first approval</a>: let a second person decide</li>
<li><a href="/docs/tutorials/first-tool">Your first tool</a>: write one and call it</li>
</ul>
<h2>Reference</h2>
<ul>
<li><a href="/docs">Documentation</a></li>
<li><a href="/docs/api">API reference</a>, from <a href="/openapi.json">/openapi.json</a></li>
<li><a href="/readyz">/readyz</a> and <a href="/healthz">/healthz</a>: readiness and liveness</li>
</ul>
<p>The admin key of the first start is in the file <code>admin.key</code> of the data directory. Send it as <code>Authorization: Bearer …</code>.</p>`,
);
