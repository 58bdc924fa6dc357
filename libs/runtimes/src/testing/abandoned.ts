import { testContext } from '@countersign/tool-kit/test-context';
import { ChildRuntime } from '../child/child-runtime.js';

/** An executor whose child blocks its thread for ever. It prints the child's identity, and waits to be killed. */
const runtime = new ChildRuntime(new URL('./odd-pack.js', import.meta.url).href);
const context = testContext();
const place = await runtime.place(context.tenant_id);
runtime.run({ tool: 'odd_read@1.0.0', input: { act: 'block' }, context }).catch(() => undefined);
setTimeout(() => process.stdout.write(`${JSON.stringify(place)}\n`), 300);
