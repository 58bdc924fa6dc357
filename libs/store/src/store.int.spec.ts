import { PgliteStore } from './pglite/pglite-store.js';
import { describeStore } from './suite.js';

describeStore('PGlite', async () => {
  const store = await PgliteStore.open({ memory: true });
  return { store, close: () => store.close() };
});
