import { expect, test } from 'vitest';
import { refusalOf } from '../forms/refusal.js';
import type { Session } from '../gateway/session.js';
import { endRefusal, secretRefusal } from './permission.js';

const session = (id: string, roles: string[], tenant_id = 'default') => ({ tenant_id, principal: { kind: 'user', id, roles } }) as Session;
const approver = session('ann', ['approver']);
const admin = session('ada', ['admin']);

test('a refusal names the roles that would do, and those that the person has', () => {
  expect(refusalOf(approver, ['auditor'])).toBe('This needs the role auditor or admin. You have: approver.');
  expect(refusalOf(session('nil', []), ['admin'])).toBe('This needs the role admin. You have: no roles.');
  expect([refusalOf(approver, ['approver']), refusalOf(admin, ['auditor'])]).toEqual([undefined, undefined]);
});

test('everyone writes their own secrets, an admin those of the tenant, an admin of the default tenant those of the installation', () => {
  expect(secretRefusal(approver, { scope: 'user' })).toBeUndefined();
  expect(secretRefusal(approver, { scope: 'user', user_id: 'ann' })).toBeUndefined();
  expect(secretRefusal(admin, { scope: 'user', user_id: 'ann' })).toContain('Only ann');
  expect(secretRefusal(approver, { scope: 'workspace' })).toContain('role admin');
  expect(secretRefusal(admin, { scope: 'org' })).toBeUndefined();
  expect(secretRefusal(session('ada', ['admin'], 'acme'), { scope: 'workspace' })).toBeUndefined();
  expect(secretRefusal(session('ada', ['admin'], 'acme'), { scope: 'org' })).toContain('tenant default');
});

test('a delegation is ended by its person or by an admin', () => {
  expect([endRefusal(approver, 'ann'), endRefusal(admin, 'ann')]).toEqual([undefined, undefined]);
  expect(endRefusal(approver, 'ben')).toContain('Only ben');
});
