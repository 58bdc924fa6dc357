import { afterAll } from 'vitest';
import { describeErpContracts } from './erp-contracts.js';
import { OdooWorld } from './odoo-world.js';

const world = new OdooWorld();
await world.start();
afterAll(() => world.stop());

describeErpContracts(world);
