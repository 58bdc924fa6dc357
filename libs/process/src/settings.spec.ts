import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parsePlatformConfig } from './platform-config.js';
import { flag, list, readSettings, wholeNumber } from './settings.js';

const schema = z.object({
  PORT: wholeNumber(0, 65_535).default(7070),
  SAFE: flag,
  LANES: list('shared'),
  NAME: z.string().min(1).optional(),
});

test('an empty value counts as unset', () => {
  const unset = readSettings(schema, {});
  expect(unset).toEqual({ config: { PORT: 7070, SAFE: false, LANES: ['shared'] } });
  expect(readSettings(schema, { PORT: '', SAFE: '', LANES: '', NAME: '' })).toEqual(unset);
});

test('a set value is read', () => {
  const given = { PORT: ' 0 ', SAFE: '1', LANES: 'a, b,', NAME: ' x' };
  expect(readSettings(schema, given)).toEqual({ config: { PORT: 0, SAFE: true, LANES: ['a', 'b'], NAME: ' x' } });
});

test.each([' ', '\t', '\n', '\u00a0'])('a blank variable (%j) is a fault, whatever it is', (blank) => {
  expect(readSettings(schema, { PORT: blank, SAFE: blank, LANES: blank, NAME: blank })).toEqual({
    faults: ['PORT', 'SAFE', 'LANES', 'NAME'].map((name) => `${name}: is blank; set a value or leave it unset`),
  });
});

describe('a number', () => {
  test.each(['seventy', '70 70', '0x10', '1e3', '7.5', '-1', '65536', '9'.repeat(400), 'NaN', 'Infinity', '７'])('is not %.10s', (PORT) => {
    expect(readSettings(schema, { PORT, LANES: ' ' })).toEqual({
      faults: ['LANES: is blank; set a value or leave it unset', 'PORT: must be a whole number from 0 to 65535'],
    });
  });
});

test('no variable of the platform accepts blanks, and none refuses the empty text', () => {
  const names = [
    'KAFKA_BROKERS',
    'KAFKA_SSL',
    'KAFKA_PRODUCERS',
    'KAFKA_SESSION_MS',
    'KAFKA_STALL_MS',
    'LANES',
    'PARTITIONS',
    'JOURNAL_FILE_BYTES',
  ];
  const all = [...names, 'DATA_DIR', 'MASTER_KEY', 'AUDIT_WITNESSES', 'AUDIT_DIR', 'LOG_LEVEL', 'S3_REGION', 'DATABASE_URL'];
  const set = (value: string) => Object.fromEntries(all.map((name) => [`COUNTERSIGN_${name}`, value]));
  expect(parsePlatformConfig(set(''))).toEqual(parsePlatformConfig({}));
  const blank = parsePlatformConfig(set(' '));
  expect('faults' in blank && blank.faults.map((line) => line.split(':')[0]).sort()).toEqual(Object.keys(set(' ')).sort());
});
