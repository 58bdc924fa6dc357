import { type Caller, Refusal } from '@countersign/calls';
import type { Principal, SagaAct, SagaWaitKind } from '@countersign/contracts';
import { type ConfigurationState, isTicketAct } from '@countersign/domain';
import type { SagaRow } from '@countersign/store';
import { isSamePerson } from '../identity/same-person.js';

const has = ({ principal }: Caller, ...roles: readonly string[]): boolean =>
  principal.roles.includes('admin') || roles.some((role) => principal.roles.includes(role));
const roleMissing = (detail: string): Refusal => new Refusal('forbidden', detail, { reason: 'role_missing' });
const noPerson = (detail: string): Refusal => new Refusal('forbidden', detail, { reason: 'user_required' });
const notTheStarter = (): Refusal =>
  new Refusal('forbidden', 'only the principal that started the saga, or an operator, may do this', { reason: 'not_the_owner' });
const ownSaga = (): Refusal =>
  new Refusal('forbidden', 'four eyes: the person who started the saga, or for whom it was started, may not approve it', {
    reason: 'second_person_required',
  });

const starterOf = ({ started_by }: SagaRow): Pick<Principal, 'kind' | 'id'> | null =>
  started_by === null ? null : (JSON.parse(started_by) as Principal);

/** True for the principal that started a saga, and for the user for whom it was started. */
function isStarter(saga: SagaRow, { principal: { kind, id } }: Caller): boolean {
  const starter = starterOf(saga);
  return (starter?.kind === kind && starter.id === id) || (kind === 'user' && saga.on_behalf_of === id);
}

/** Why this caller may not do this with a saga; undefined if it may. */
export function refusalOfAct(act: SagaAct, saga: SagaRow, caller: Caller): Refusal | undefined {
  if (!isTicketAct(act)) {
    if (has(caller, 'operator') || isStarter(saga, caller)) return undefined;
    return notTheStarter();
  }
  // It decides about an effect.
  if (caller.principal.kind === 'agent') return noPerson('an agent may not decide about a ticket');
  return has(caller, 'operator') ? undefined : roleMissing('this needs the role operator');
}

/** Why this caller may not answer a wait; undefined if it may. Who started the saga does not approve it. */
export function refusalOfAnswer(state: ConfigurationState, wait: SagaWaitKind, saga: SagaRow, caller: Caller): Refusal | undefined {
  if (wait === 'event') return has(caller, 'agent', 'operator') ? undefined : roleMissing('an event needs the role agent or operator');
  if (caller.principal.kind === 'agent') return noPerson('an agent may not decide for a person');
  if (!has(caller, 'approver', 'operator')) return roleMissing('this needs the role approver or operator');
  if (wait !== 'approval') return undefined;
  const others = [starterOf(saga)?.id, saga.on_behalf_of].filter((id) => typeof id === 'string');
  const isOwn = isStarter(saga, caller) || others.some((id) => isSamePerson(state, caller.tenant_id, id, caller.principal.id));
  return isOwn ? ownSaga() : undefined;
}
