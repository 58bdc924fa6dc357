import type { components } from '@countersign/client';
import { pageAt, useList } from './use-list.js';

type Schemas = components['schemas'];
export type Circuit = Schemas['Circuit'];
export type DeadLetter = Schemas['DeadLetter'];
export type Damage = Schemas['Damage'];
export type SecurityEvent = Schemas['SecurityEvent'];
export type Projection = Schemas['Projection'];
export type CallItem = Schemas['CallListItem'];
export type Ticket = Schemas['ListedSagaTicket'];

export const OPERATORS = ['operator'];
export const OVERSIGHT = ['operator', 'auditor'];

/** A circuit opens by calls, and becomes half-open by time: neither has an event of its own. */
export const useCircuits = () =>
  useList<Circuit>({
    kind: 'other',
    key: ['circuits'],
    also: ['call'],
    every_ms: 10_000,
    read: (api, cursor, signal) => api.GET('/v1/circuits', { params: { query: pageAt(cursor) }, signal }),
  });

export const useDeadLetters = () =>
  useList<DeadLetter>({
    kind: 'dead_letter',
    key: ['health'],
    roles: OPERATORS,
    read: (api, cursor, signal) => api.GET('/v1/dead-letters', { params: { query: pageAt(cursor) }, signal }),
  });

export const useDamages = () =>
  useList<Damage>({
    kind: 'damage',
    key: ['health'],
    roles: OVERSIGHT,
    read: (api, cursor, signal) => api.GET('/v1/damages', { params: { query: pageAt(cursor) }, signal }),
  });

export const useSecurityEvents = () =>
  useList<SecurityEvent>({
    kind: 'security',
    key: ['health'],
    roles: OVERSIGHT,
    read: (api, cursor, signal) => api.GET('/v1/security-events', { params: { query: pageAt(cursor) }, signal }),
  });

export const useProjections = () =>
  useList<Projection>({
    kind: 'other',
    key: ['projections'],
    every_ms: 10_000,
    roles: OPERATORS,
    read: (api, cursor, signal) => api.GET('/v1/projections', { params: { query: pageAt(cursor, 50) }, signal }),
  });

const IN_DOUBT = { status: 'in_doubt', expand: 't_start' };

export const useCallsInDoubt = () =>
  useList<CallItem>({
    kind: 'call',
    key: ['in-doubt'],
    read: (api, cursor, signal) => api.GET('/v1/calls', { params: { query: { ...IN_DOUBT, ...pageAt(cursor) } }, signal }),
  });

export const useOpenTickets = () =>
  useList<Ticket>({
    kind: 'ticket',
    key: ['health'],
    also: ['saga'],
    roles: OVERSIGHT,
    read: (api, cursor, signal) => api.GET('/v1/saga-tickets', { params: { query: { status: 'open', ...pageAt(cursor) } }, signal }),
  });
