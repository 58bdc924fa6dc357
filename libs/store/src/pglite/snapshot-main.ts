import { writeFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { migrateSql } from '../migrations/migrate.js';
import { startParams } from './settings.js';
import { DROP_TEMPLATES } from './snapshot.js';

/** `node snapshot-main.js <file>`: writes the snapshot of a fresh, migrated database. */
const file = process.argv[2];
if (!file) throw new Error('usage: snapshot-main.js <file>');
const db = await PGlite.create('memory://', { startParams: startParams(PGlite.defaultStartParams) });
for (const statement of DROP_TEMPLATES) await db.exec(statement);
await db.exec(migrateSql());
await db.exec('CHECKPOINT');
const dump = await db.dumpDataDir('none');
await writeFile(file, Buffer.from(await dump.arrayBuffer()));
await db.close();
