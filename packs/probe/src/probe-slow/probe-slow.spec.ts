import { contractTests } from '@countersign/tool-kit/contract-tests';
import { probeSlow } from './probe-slow.js';

contractTests(probeSlow, {
  golden: [{ title: 'a short while', input: { duration_ms: 5 } }],
  counterpart: { snapshot: async () => 'it has nothing that it could change' },
  generated: (inputs) => inputs.map((input) => ({ duration_ms: (input as { duration_ms: number }).duration_ms % 3 })),
  slow: { duration_ms: 60_000 },
});
