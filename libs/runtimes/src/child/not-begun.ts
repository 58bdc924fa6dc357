import { ToolError } from '@countersign/tool-kit';

/** The job was never handed to a child: nothing has happened, and it may be retried. */
export function notBegun(why: string): ToolError {
  return new ToolError('NETWORK_ERROR', `the call was not sent to the child process of its pack: ${why}`, { effect: 'none' });
}

/** The child died during the job: its effect is unknown. */
export function diedWithIt(why: string): ToolError {
  return new ToolError('NETWORK_ERROR', `the child process of the pack ended while the call ran: ${why}`);
}
