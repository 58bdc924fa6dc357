import { createHash } from 'node:crypto';
import type { ApprovalAnswer } from './approval-answers.schemas.js';

const SCRIPT = `
const token = new URLSearchParams(location.search).get('token');
for (const button of document.querySelectorAll('button')) button.onclick = async () => {
  const reason = document.querySelector('textarea').value.trim();
  const body = JSON.stringify({ token, vote: button.value, ...(reason ? { reason } : {}) });
  const answer = await fetch('/v1/decisions', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const reply = await answer.json();
  document.querySelector('output').textContent = answer.ok ? 'Recorded: ' + reply.status : reply.detail;
};`;

/** Hash of the only script that the page may run, for its Content-Security-Policy. */
export const DECISION_SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64');

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** A page that shows an approval request and lets its reader approve or deny it. */
export function decisionPage(approval: ApprovalAnswer): string {
  const name = escaped(String(approval.call?.name));
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${name}</title>
<h1>${name}: ${escaped(approval.status)}</h1>
<pre>${escaped(JSON.stringify(approval, null, 2))}</pre>
<p><label>Reason <textarea></textarea></label></p><p><button value="approve">Approve</button> <button value="deny">Deny</button></p><output></output>
<script>${SCRIPT}</script></html>`;
}
