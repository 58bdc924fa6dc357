import { openCase, reference } from './demo-calls.js';
import { answerTo, DemoFault } from './demo-fault.js';
import { type Demonstrator, demonstrator, demoPeople } from './demo-people.js';
import { demoSettings } from './demo-settings.js';
import { payments } from './payments-story.js';
import { purchases } from './purchasing-story.js';
import { support } from './support-story.js';
import type { Told } from './told.js';
import { travel } from './travel-story.js';

/** Names the case that is opened last: where it exists, the demo is complete. */
const COMPLETE = 'complete';

export interface Filled {
  /** False: an earlier run had filled the installation, and nothing was made. */
  made: boolean;
  told: readonly Told[];
  your_key: string | undefined;
}

async function isFilled({ api }: Demonstrator): Promise<boolean> {
  const query = { external_id: reference(COMPLETE) };
  const { items } = await answerTo('cases', api.GET('/v1/cases', { params: { query: query as never } }));
  return items.length > 0;
}

async function hasTool(url: string, name: string, { api }: Demonstrator): Promise<boolean> {
  const asked = api.GET('/v1/tools/{name}', { params: { path: { name } } });
  const { response } = await asked.catch((cause: Error) => {
    throw new DemoFault(`${url} does not answer: ${cause.message}`);
  });
  if (response.status === 401) throw new DemoFault('the key is not accepted: send the admin key with --key');
  return response.ok;
}

/**
 * Fills an installation with the data of the demo, by calls over its public API. A second run finds what the first one made; a run after
 * one that was cut off completes it.
 */
export async function fillDemo(url: string, admin_key: string): Promise<Filled> {
  const admin = demonstrator(url, 'admin', admin_key);
  if (!(await hasTool(url, 'demo_pay_supplier', admin)))
    throw new DemoFault(
      `${url} does not have the pack demo: start it with COUNTERSIGN_PACKS=workspace,demo, or stop it and run this again`,
    );
  if (await isFilled(admin)) return { made: false, told: [], your_key: undefined };
  const people = await demoPeople(url, admin_key);
  const hasOperations = await hasTool(url, 'create_purchase_order', admin);
  await demoSettings(people, hasOperations);
  const stories = await Promise.all([payments(people), support(people), travel(people), ...(hasOperations ? [purchases(people)] : [])]);
  await openCase(people.admin, COMPLETE, 'Demo data is complete');
  return { made: true, told: stories.flat(), your_key: people.your_key };
}
