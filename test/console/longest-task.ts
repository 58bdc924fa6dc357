import type { Page } from 'playwright-core';
import { browser } from './browser.js';

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Time on the processor, µs. */
  tdur?: number;
  args?: { name?: string };
}

/**
 * What the longest task of a page took meanwhile, in ms on the processor: the time that the page itself keeps somebody waiting, not that of
 * a busy machine.
 */
export async function longestTask(page: Page, act: () => Promise<void>): Promise<number> {
  const chromium = await browser();
  await chromium.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
  await act();
  const { traceEvents } = JSON.parse((await chromium.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const main = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name.endsWith('RunTask') && main.some((thread) => thread.pid === pid && thread.tid === tid),
  );
  if (tasks.length === 0) throw new Error('the trace has no tasks');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}
