import { pack } from '@countersign/pack-operations/erp-pack';
import { describeErpContracts } from './erp-contracts.js';
import { TrytonContractWorld } from './tryton-contract-world.js';
import { TrytonWorld } from './tryton-world.js';

const tryton = new TrytonWorld();
const world = new TrytonContractWorld(tryton.url, tryton.people());
await world.open();

/** A posted bill is never taken back: its checks have a spec of their own (tryton-bills). */
const writes = pack.tools.filter(({ contract }) => world.cleans(contract.name) && contract.name !== 'post_vendor_bill');

describeErpContracts(world, writes);
