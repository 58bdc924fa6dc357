import { expect, test } from 'vitest';
import { attacks } from './attacks.js';
import { kafkaAttacks } from './kafka/kafka-attacks.js';
import { productAttacks } from './product/attacks.js';
import { FINDERS } from './product/product-attack.js';
import { attackTable, rowOfClass, type TableRow } from './table.js';

const table = new Map(attackTable().map((row) => [row.attack, row]));
const found = (row: TableRow | undefined) => FINDERS.filter((finder) => row?.[finder].startsWith('yes'));

test('every class of attack on an installation has its row, with exactly those who must find it', () => {
  for (const { name, with_key, found_by } of productAttacks)
    expect([name, table.get(name)?.key, found(table.get(name))]).toEqual([name, with_key ? 'yes' : 'no', [...found_by]]);
});

test('every class of attack on the files of Kafka has a row that says that the server finds it', () => {
  for (const { name } of kafkaAttacks) expect([name, table.get(name)?.server.slice(0, 3)]).toEqual([name, 'yes']);
});

test('every class of attack on the libraries has a row that says that signer, witness and client find it', () => {
  expect(Object.keys(rowOfClass)).toEqual(Object.keys(attacks));
  for (const [name, row] of Object.entries(rowOfClass))
    expect([name, found(table.get(row))]).toEqual([name, ['server', 'witness', 'client']]);
});

test('every row of the table is a class of attack', () => {
  const names = new Set([...productAttacks.map(({ name }) => name), ...kafkaAttacks.map(({ name }) => name), ...Object.values(rowOfClass)]);
  expect([...table.keys()].filter((attack) => !names.has(attack))).toEqual([]);
});
