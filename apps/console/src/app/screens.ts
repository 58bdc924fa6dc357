import type { ComponentType } from 'preact';
import type { IconName } from '../elements/icon.js';

/** A screen of the console. A new one is a folder beside this one and a line in the list below. */
export interface ScreenEntry {
  /** With its parameters: `/calls/:id`. The gateway knows the same paths (apps/gateway/src/console/console-paths.ts). */
  path: string;
  title: string;
  /** Its line in the navigation; absent for screens that are reached from others. */
  navigation?: { group: NavigationGroup; icon: IconName; keys: string };
  /** Shown in the navigation to people with one of these roles; `admin` sees everything. */
  roles?: readonly string[];
  /** Paths with the same name are one screen: it stays as it is when the address changes from one to the other. */
  screen?: string;
  load: () => Promise<{ default: ComponentType }>;
}

export type NavigationGroup = 'Work' | 'Platform' | 'Oversight';
export const GROUPS: readonly NavigationGroup[] = ['Work', 'Platform', 'Oversight'];

export const SCREENS: readonly ScreenEntry[] = [
  { path: '/', title: 'Home', navigation: { group: 'Work', icon: 'home', keys: 'g h' }, load: () => import('../home/home-screen.js') },
  {
    path: '/approvals',
    title: 'Approvals',
    screen: 'approvals',
    navigation: { group: 'Work', icon: 'approvals', keys: 'g a' },
    load: () => import('../approvals/approvals-screen.js'),
  },
  { path: '/approvals/:id', title: 'Approvals', screen: 'approvals', load: () => import('../approvals/approvals-screen.js') },
  {
    path: '/cases',
    title: 'Cases',
    navigation: { group: 'Work', icon: 'cases', keys: 'g c' },
    load: () => import('../cases/cases-screen.js'),
  },
  { path: '/cases/:id', title: 'Case', load: () => import('../cases/case-screen.js') },
  {
    path: '/calls',
    title: 'Calls',
    navigation: { group: 'Work', icon: 'calls', keys: 'g l' },
    load: () => import('../calls/calls-screen.js'),
  },
  { path: '/calls/:id', title: 'Call', load: () => import('../calls/call-screen.js') },
  {
    path: '/tools',
    title: 'Tools',
    navigation: { group: 'Platform', icon: 'tools', keys: 'g t' },
    load: () => import('../tools/tools-screen.js'),
  },
  { path: '/tools/:name', title: 'Tool', load: () => import('../tools/tool-screen.js') },
  {
    path: '/upstreams',
    title: 'Upstreams',
    navigation: { group: 'Platform', icon: 'upstreams', keys: 'g m' },
    roles: ['operator', 'tool_author', 'policy_admin', 'auditor'],
    load: () => import('../upstreams/upstreams-screen.js'),
  },
  { path: '/upstreams/:name', title: 'Upstream', load: () => import('../upstreams/upstream-screen.js') },
  {
    path: '/openapi-imports',
    title: 'OpenAPI imports',
    navigation: { group: 'Platform', icon: 'imports', keys: 'g o' },
    roles: ['operator', 'tool_author', 'policy_admin', 'auditor'],
    load: () => import('../openapi-imports/imports-screen.js'),
  },
  { path: '/openapi-imports/:name', title: 'OpenAPI import', load: () => import('../openapi-imports/import-screen.js') },
  {
    path: '/settings',
    title: 'Settings',
    navigation: { group: 'Platform', icon: 'settings', keys: 'g e' },
    load: () => import('../settings/settings-screen.js'),
  },
  {
    path: '/sagas',
    title: 'Sagas',
    navigation: { group: 'Work', icon: 'sagas', keys: 'g s' },
    load: () => import('../sagas/sagas-screen.js'),
  },
  { path: '/sagas/:id', title: 'Saga', load: () => import('../sagas/saga-screen.js') },
  {
    path: '/health',
    title: 'Health',
    navigation: { group: 'Platform', icon: 'health', keys: 'g i' },
    roles: ['operator', 'auditor'],
    load: () => import('../health/health-screen.js'),
  },
  {
    path: '/policies',
    title: 'Policies',
    navigation: { group: 'Oversight', icon: 'policies', keys: 'g p' },
    load: () => import('../policies/policies-screen.js'),
  },
  { path: '/policies/:version', title: 'Policy version', load: () => import('../policies/version-screen.js') },
  {
    path: '/usage',
    title: 'Usage',
    navigation: { group: 'Oversight', icon: 'usage', keys: 'g y' },
    roles: ['operator', 'auditor', 'agent'],
    load: () => import('../usage/usage-screen.js'),
  },
  {
    path: '/audit',
    title: 'Audit',
    navigation: { group: 'Oversight', icon: 'audit', keys: 'g u' },
    roles: ['auditor'],
    load: () => import('../audit/audit-screen.js'),
  },
];
