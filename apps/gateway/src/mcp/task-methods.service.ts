import { ProtocolError, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { exchangeIn } from './exchange.js';
import { McpExtensions } from './mcp-extension.js';
import { requireTasks } from './task-extension.js';
import { TasksService } from './tasks.service.js';

const HEADER_MISMATCH = -32020;

const taskId = z.string().min(1).max(200);
const named = z.looseObject({ taskId });

/** Intermediaries route by the header `Mcp-Name`: it must name the task of the body. */
function requireSameName({ http }: ServerContext, task_id: string): void {
  const name = http?.req?.headers.get('mcp-name');
  if (name !== null && name !== undefined && name !== task_id)
    throw new ProtocolError(HEADER_MISMATCH, 'the header Mcp-Name must be the taskId of the body');
}

/** The methods of the tasks extension, which the SDK does not have. */
@Injectable()
export class TaskMethods {
  constructor(
    private readonly tasks: TasksService,
    private readonly extensions: McpExtensions,
  ) {}

  serve(server: Server): void {
    server.setRequestHandler('tasks/get', { params: named }, async (params, context) => {
      this.admit(context, params.taskId);
      const { tool, ...task } = await this.tasks.get(exchangeIn(context).caller, params.taskId);
      return this.extensions.loaded?.task(task, tool) ?? task;
    });
    server.setRequestHandler('tasks/cancel', { params: named }, async (params, context) => {
      this.admit(context, params.taskId);
      await this.tasks.cancel(exchangeIn(context).caller, params.taskId);
      return {};
    });
    // No tool of the product asks its client while it runs. What answers nothing is ignored, as the extension says.
    server.setRequestHandler('tasks/update', { params: named }, async (params, context) => {
      this.admit(context, params.taskId);
      await this.tasks.own(exchangeIn(context).caller, params.taskId);
      this.extensions.loaded?.answer(params.taskId, context.mcpReq.inputResponses ?? {});
      return {};
    });
  }

  private admit(context: ServerContext, task_id: string): void {
    requireTasks(context);
    requireSameName(context, task_id);
  }
}
