import { expect, test } from 'vitest';
import { fileNameOf } from './save-file.js';

test.each([
  ['1-01a2', 'audit-1-01a2.json'],
  ['../../etc/passwd', 'audit-_.._etc_passwd.json'],
  ['<script>\u202egnp', 'audit-_script_gnp.json'],
  ['x'.repeat(400), `audit-${'x'.repeat(100)}.json`],
])('%s names no other place', (id, name) => expect(fileNameOf('audit', id, 'json')).toBe(name));
