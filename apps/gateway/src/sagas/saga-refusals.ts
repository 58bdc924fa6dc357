import { Refusal } from '@countersign/calls';

/** The record refuses a request about a saga. */
export const refusedByRecord = (message: string): Refusal => new Refusal('conflict', message, { reason: 'saga_request_refused' });
