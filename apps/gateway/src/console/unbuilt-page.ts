import { htmlPage } from '../docs/html-page.js';

/** Every path of the console while the console has not been built. */
export const UNBUILT_PAGE = htmlPage(
  'Console not built',
  `<h1>Countersign is running</h1>
<p>The console has not been built in this installation. Run <code>npm run console</code> in its folder and start the gateway again;
<code>npm start</code> does both.</p>
<ul>
<li><a href="/docs">Documentation</a> and the <a href="/docs/api">API reference</a></li>
<li><a href="/docs/tutorials/first-call">Your first call</a>: call a tool and read what happened</li>
<li><a href="/readyz">/readyz</a> and <a href="/healthz">/healthz</a>: readiness and liveness</li>
</ul>`,
);
