import { ToolError } from '@countersign/tool-kit';

/** It was never handed to a child: nothing has happened, and it may be tried again. */
export function notBegun(why: string): ToolError {
  return new ToolError('NETWORK_ERROR', `the call was not sent to the child process of its pack: ${why}`, { effect: 'none' });
}

/** Its child died with it: what it did is not known here. */
export function diedWithIt(why: string): ToolError {
  return new ToolError('NETWORK_ERROR', `the child process of the pack ended while the call ran: ${why}`);
}
