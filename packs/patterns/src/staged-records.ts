import type { StagedAction } from '@countersign/tool-kit/patterns/action-staging';
import type { ApprovalTask } from '@countersign/tool-kit/patterns/approval-request';
import { KeyedFiles } from './keyed-files.js';

/** `<root>/<tenant>/actions/<key>.json` */
export const stagedActions = new KeyedFiles<StagedAction>('actions');
/** `<root>/<tenant>/tasks/<key>.json` */
export const approvalTasks = new KeyedFiles<ApprovalTask>('tasks');
